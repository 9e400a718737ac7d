"""工学, in English: operating systems, parts A to C, key at the end."""

from tests.golden.kit.model import Item, Paper, Section

PAPER = Paper(
    file="operating-systems-final.pdf",
    title=("Riverbend University", "Operating Systems: Final Examination"),
    note="Time allowed: 2 hours. Total: 100 points. Answer all questions.",
    running="Operating Systems, Fall 2023",
    key_title="Answer Key",
    extra={"mark": "Question {n}. ", "key_mark": "{n}. ", "footer": "Page {page} of {pages}"},
    sections=(
        Section(
            "Part A. Multiple Choice (8 questions, 3 points each)",
            "multiple_choice",
            (
                Item(
                    "Which of the following is shared by all threads of one process?",
                    "C",
                    ("The stack", "The program counter", "The heap", "The register set"),
                ),
                Item(
                    "A process that has finished but whose exit status has not yet been collected by its parent is called",
                    "A",
                    ("a zombie", "an orphan", "a daemon", "a swapped process"),
                ),
                Item(
                    "Which scheduling algorithm may starve long jobs?",
                    "A",
                    (
                        "Shortest job first",
                        "Round robin",
                        "First come, first served",
                        "Lottery with equal tickets",
                    ),
                ),
                Item(
                    "Belady's anomaly can occur with which page replacement algorithm?",
                    "B",
                    ("Least recently used", "First in, first out", "Optimal", "Any stack algorithm"),
                ),
                Item(
                    "With a page size of 4 KB, how many bits of a virtual address form the page offset?",
                    "C",
                    ("10", "11", "12", "13"),
                ),
                Item(
                    "Which of the following is not one of the four necessary conditions for deadlock?",
                    "D",
                    ("Mutual exclusion", "Hold and wait", "Circular wait", "Starvation"),
                ),
                Item(
                    "A translation lookaside buffer caches",
                    "B",
                    ("disk blocks", "page table entries", "file names", "interrupt vectors"),
                ),
                Item(
                    "In a UNIX file system, an i-node does not store",
                    "D",
                    ("the file size", "the owner", "the block addresses", "the file name"),
                ),
            ),
            points=3,
            first=1,
        ),
        Section(
            "Part B. Short Answer (5 questions, 8 points each)",
            "short_answer",
            (
                Item(
                    "Explain the difference between a process and a thread.",
                    "A process has its own address space and resources. A thread is a unit of execution inside a process; "
                    "threads of one process share its address space and open files but have their own stack, registers and program counter.",
                ),
                Item(
                    "What is thrashing? Name one way in which an operating system can reduce it.",
                    "Thrashing is the state in which processes spend more time paging than executing, because their working sets do not fit in memory. "
                    "It can be reduced by lowering the degree of multiprogramming, for example by suspending some processes.",
                ),
                Item(
                    "What is a semaphore? Describe its wait and signal operations.",
                    "A semaphore is an integer variable used for synchronization that is changed only by two atomic operations. "
                    "Wait decreases the value and blocks the caller if the resource is not available; signal increases the value and wakes up a waiting process, if any.",
                ),
                Item(
                    "Why is direct memory access used for disk transfers?",
                    "The controller moves a whole block between the device and memory without the processor, which is interrupted only once at the end "
                    "and can do other work in the meantime.",
                ),
                Item(
                    "What is the difference between internal and external fragmentation?",
                    "Internal fragmentation is unused space inside an allocated block. External fragmentation is free memory "
                    "that is split into pieces too small to satisfy a request although their sum would suffice.",
                ),
            ),
            points=8,
            first=9,
        ),
        Section(
            "Part C. Problems (3 questions, 12 points each)",
            "calculation",
            (
                Item(
                    "Three processes P1, P2 and P3 arrive at time 0 in this order with CPU bursts of 18, 3 and 6 ms. "
                    "Compute the average waiting time under first come, first served and under shortest job first.",
                    "First come, first served: (0 + 18 + 21) / 3 = 13 ms. Shortest job first: (0 + 3 + 9) / 3 = 4 ms.",
                ),
                Item(
                    "A system has a TLB with an access time of 10 ns and a hit ratio of 80 percent. A memory access takes 90 ns and "
                    "the page table has a single level. Compute the effective access time.",
                    "A hit takes 10 + 90 = 100 ns, a miss takes 10 + 90 + 90 = 190 ns. Effective access time = 0.8 x 100 + 0.2 x 190 = 118 ns.",
                ),
                Item(
                    "A process has three frames, initially empty, and the reference string 2, 3, 2, 1, 5, 2, 4, 5. "
                    "Compute the number of page faults under first in, first out and under least recently used replacement.",
                    "First in, first out: 6 page faults. Least recently used: 5 page faults.",
                ),
            ),
            points=12,
            first=14,
        ),
    ),
)
