"""Clean exam papers made from facts we wrote: drafts of all printed forms, with their answers."""

# ruff: noqa: E501 (texts stand on one line)
from __future__ import annotations

import random

from schemas.question import Draft, Option, Part, PrintedForm

# term | what it is | a question on it | its answer | a true statement | a false one
FACTS = """
机会成本|把一种资源用于某一用途时所放弃的其他用途中价值最高的收益|机会成本与会计成本有何不同|会计成本只记实际支出，机会成本还计入自有资源放弃的收益|经济利润等于总收益减去全部机会成本|机会成本一定大于会计成本中的折旧
边际效用|消费者多消费一单位商品时总满足程度的增加量|为什么边际效用一般递减|随着消费量增加，最迫切的需要先被满足，后来的单位只满足次要的需要|总效用最大时边际效用为零|边际效用递减时总效用必然下降
虚拟内存|由操作系统用外存扩充、使程序以为拥有连续大地址空间的存储机制|虚拟内存怎样处理缺页|产生缺页中断，选择一页换出，把所需的页从外存调入并修改页表|虚拟内存的容量受地址位数的限制|虚拟内存使处理器的时钟频率提高
死锁|多个进程因争夺资源而互相等待、都不能继续推进的状态|产生死锁需要哪些条件|互斥、占有并等待、不可剥夺和循环等待四个条件同时成立|资源按序分配可以破坏循环等待|只要存在竞争就一定产生死锁
二叉排序树|左子树关键字都小于根、右子树关键字都大于根的二叉树|怎样在二叉排序树中查找一个关键字|从根开始比较，小则进入左子树，大则进入右子树，直到相等或为空|中序遍历二叉排序树得到有序序列|二叉排序树的查找时间总是对数级的
哈希表|用函数把关键字直接映射到存储位置的数据结构|哈希表怎样解决冲突|可以用链地址法把同义词链在一起，也可以用开放定址法另找空位|装填因子越大冲突越多|哈希表中不会出现两个关键字的地址相同
表见代理|行为人无权代理而相对人有理由相信其有代理权的代理|表见代理的后果是什么|代理行为有效，由被代理人承担合同责任，之后可以向行为人追偿|表见代理要求相对人善意无过失|表见代理必须得到法院的事先批准
善意取得|无处分权人转让财产而受让人善意且支付合理对价时取得所有权的制度|善意取得需要哪些要件|受让人善意、价格合理并且已经登记或者交付|遗失物一般不适用善意取得|赠与得来的财产可以善意取得
诉讼时效|权利人在法定期间内不行使权利即丧失胜诉机会的制度|诉讼时效在什么情况下中断|权利人提出履行请求、义务人同意履行或者提起诉讼时中断并重新计算|普通诉讼时效期间为三年|诉讼时效届满后债权本身消灭
光合作用|绿色植物利用光能把二氧化碳和水合成有机物并放出氧气的过程|光反应和暗反应怎样联系|光反应提供能量和还原力，暗反应用它们固定二氧化碳|光反应在类囊体膜上进行|光合作用的氧气来自二氧化碳
有丝分裂|细胞核把复制后的染色体平均分给两个子细胞的分裂方式|有丝分裂中期有什么特征|纺锤丝牵引染色体，使着丝粒排列在赤道面上|有丝分裂前后染色体数目不变|有丝分裂后期同源染色体分离
渗透压|溶液中溶质微粒对水的吸引力|红细胞放入清水中为什么破裂|细胞外渗透压低，水大量进入细胞，细胞膨胀直到破裂|等渗溶液中细胞保持原有形状|渗透压只取决于溶质分子的大小
热力学第二定律|热量不能自发地从低温物体传向高温物体的规律|为什么热机效率不能达到百分之百|工作物质必须向低温热源放出一部分热量才能完成循环|孤立系统的熵不会减少|制冷机违反热力学第二定律
简谐振动|回复力与位移成正比且方向相反的振动|单摆在什么条件下作简谐振动|摆角很小、摆线不可伸长并且忽略空气阻力时近似成立|简谐振动的机械能守恒|简谐振动的加速度是恒定的
极限|自变量无限接近某点时函数值无限接近的那个确定的数|函数在一点连续需要什么条件|函数在该点有定义，左右极限存在并且都等于函数值|收敛数列必定有界|有界数列必定收敛
矩阵的秩|矩阵中不为零的子式的最高阶数|怎样用初等变换求矩阵的秩|把矩阵化为行阶梯形，非零行的行数就是所要的数|初等变换不改变矩阵的秩|方阵满秩时行列式等于零
教学相长|教与学互相促进、教师和学生共同提高的原则|教师怎样在课堂上体现教学相长|鼓励学生提问和质疑，从学生的反馈中改进教法|教学相长一语出自学记|教学相长要求取消教师的指导
最近发展区|儿童独立达到的水平与在帮助下可能达到的水平之间的差距|最近发展区对教学有何启示|教学应走在发展前面，提供支架并逐步撤去帮助|最近发展区由维果茨基提出|最近发展区对每个儿童都是相同的
均田制|北魏至唐中叶由国家按人口分配土地的制度|均田制为什么在唐中叶瓦解|人口增加而官田不足，土地买卖和兼并使授田无法继续|均田制以国家掌握大量荒地为前提|均田制始于明代初年
洋务运动|清末一部分官员以自强求富为目的引进西方技术的运动|洋务运动为什么没有使中国富强|它只学习技术而不改变制度，管理腐败并且受外国牵制|洋务运动创办了近代军事工业|洋务运动由维新派发动
意境|作品中情与景交融而生出的艺术境界|诗人怎样营造意境|选择带有情感的物象，用虚实相生的手法引起联想|意境讲究情景交融|意境只存在于绘画之中
散点透视|画家不固定视点、把不同视域的景物组织在一幅画中的方法|散点透视给山水画带来什么效果|可以在长卷中移步换景，表现辽阔的空间和时间的推移|清明上河图使用了散点透视|散点透视要求只有一个消失点
无菌技术|防止微生物侵入机体和防止无菌物品被污染的操作方法|取用无菌溶液时怎样防止污染|核对标签，先倒少量冲洗瓶口，再倒入容器，及时盖好瓶塞|无菌包打开后二十四小时内有效|无菌区域可以用手直接触摸
压疮|局部组织长期受压、血液循环障碍而引起的坏死|怎样预防压疮|定时翻身减轻受压，保持皮肤清洁干燥，改善营养|骨突处容易发生压疮|压疮只见于下肢瘫痪的病人
霍桑效应|人们因为知道自己被关注而改变行为的现象|霍桑实验对管理有什么启示|工人是社会人，情绪和非正式组织对产量影响很大|霍桑实验由梅奥主持|霍桑实验证明照明决定产量
授权|上级把一部分权力委派给下属并保留监督责任的行为|有效的授权要遵循哪些原则|因事设人，权责一致，留有控制，不越级授权|授权之后上级仍负有责任|授权就是把责任全部转给下属
"""
PHENOMENA = [tuple(line.split("|")) for line in FACTS.strip().split("\n")]
_CASES = (
    "某乡镇企业生产纸箱，年初引进新设备后产量增加三成，但废水直接排入河流，下游的养鱼户要求赔偿损失，企业认为自己依法纳税，没有责任。",
    "一位班主任发现学生迟到后不加批评，而是请他们轮流记录到校时间，一个月以后迟到的人数明显减少，班级的气氛也好了起来。",
    "某医院在病房设置意见箱，三个月内收到建议四十条，护士长把建议分类后每周公布改进的结果，病人的满意程度有所提高。",
    "小王向朋友借款五万元，约定一年后归还并写下借条，到期以后小王一直没有还钱，朋友在第四年才想起向法院起诉。",
)


def paper(seed: int) -> list[Draft]:
    """The drafts of one clean paper of about 34 questions; the same seed gives the same paper."""
    rng = random.Random(seed)
    facts = rng.sample(PHENOMENA, 18)
    stop = "" if rng.random() < 0.3 else "。"
    names = [fact[0] for fact in PHENOMENA]
    drafts: list[Draft] = []

    def add(
        section: str, number: int, stem: str, form: PrintedForm, answer: str | None, **more: object
    ) -> None:
        options = more.get("options", ())
        listed = "".join(f"\n{o.label}. {o.text}" for o in options)  # type: ignore[attr-defined]
        order = len(drafts)
        drafts.append(
            Draft.model_validate(
                {"draft_id": f"{seed}-{order}", "source": f"made-{seed}.docx", "sha256": f"{seed:064d}", "order": order,
                 "number": str(number), "section": section, "stem": stem, "form": form, "answer": answer,
                 "printed": stem + listed, **more}
            )
        )  # fmt: skip

    for at, (term, what, *_) in enumerate(facts[:4], 1):
        said = f"{term}是指{what}。" if rng.random() < 0.75 else f"{what}。"
        add("一、名词解释（每题4分）", at, term, PrintedForm.SHORT_ANSWER, said)
    for at, (term, what, *_) in enumerate(facts[4:9], 1):
        add("二、填空题（每空2分）", at, f"{what}，称为____{stop}", PrintedForm.FILL_BLANK, term)
    for at, (term, what, _, _, true, false) in enumerate(facts[9:15], 1):
        add_choice(add, rng, at, term, what, true, false, names)
    for at, (_, _, _, _, true, false) in enumerate(facts[:6], 1):
        right = rng.random() < 0.5
        reason = "" if right and rng.random() < 0.5 else f"，{true}。"
        add(
            "四、判断题（每题2分）", at, f"{true if right else false}{stop or '。'}", PrintedForm.TRUE_FALSE,
            f"{'√' if right else '×'}{reason}",
        )  # fmt: skip
    for at, (term, _, asked, answer, *_) in enumerate(facts[6:14], 1):
        lead = rng.choice(("简述：", "请说明，", "结合所学知识回答，", ""))
        said = f"对于{term}，{answer}。" if rng.random() < 0.5 else f"{answer}。"
        add("五、简答题（每题8分）", at, f"{lead}{asked}？", PrintedForm.SHORT_ANSWER, said)
    for at in range(1, 4):
        a, b, c = rng.randint(2, 30), rng.randint(2, 30), rng.randint(2, 9)
        form = PrintedForm.CALCULATION
        if at == 1:
            add("六、计算题（每题10分）", at, f"计算 ${a}x+{b}$ 在 $x={c}$ 处的值。", form, f"${a * c + b}$")
        else:
            text = f"某厂每天生产{a}件产品，每件成本{b}元，求{c}天的总成本。"
            add("六、计算题（每题10分）", at, text, form, f"{a}×{b}×{c}={a * b * c}（元）。")
    for at, case in enumerate(rng.sample(_CASES, 2), 1):
        parts = (
            Part(
                number="(1)",
                text="材料中的做法有什么得失？请说明理由。",
                answer="做法有得有失，应当兼顾各方的利益。",
            ),
            Part(
                number="(2)",
                text="如果由你处理这件事，你会怎样做？",
                answer="先听取意见，再按照规定提出方案。",
            ),
        )
        add(
            "七、材料分析题（每题15分）",
            at,
            "",
            PrintedForm.ANALYSIS,
            None,
            material=case,
            parts=parts,
            printed=case,
        )
    return drafts


def add_choice(add, rng, at, term, what, true, false, names) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """One choice of a paper: a definition to name, or statements to tell apart."""
    if at % 2:
        texts = [term, *rng.sample([name for name in names if name != term], 3)]
        stem, right = f"{what}，这一概念是（  ）", term
    else:
        others = rng.sample([fact[5] for fact in PHENOMENA if fact[5] != false], 2)
        texts, stem, right = [true, false, *others], "下列说法中正确的是（  ）", true
    rng.shuffle(texts)
    options = tuple(Option(label=label, text=text) for label, text in zip("ABCD", texts, strict=True))
    answer = "ABCD"[texts.index(right)]
    add("三、单项选择题（每题2分）", at, stem, PrintedForm.MULTIPLE_CHOICE, answer, options=options)
