r"""Formulas made comparable, a character a symbol: `\dfrac{a}{b}` is `\frac ab`, and `≤` is `\le`."""

from __future__ import annotations

import re
import unicodedata

_FORMULA = re.compile(r"\$\$([^$]+)\$\$|\$([^$\n]+)\$")
_TOKEN = re.compile(r"\\begin\{([A-Za-z]+)\*?\}|\\end\{([A-Za-z]+)\*?\}|\\([A-Za-z]+)|\\(.)|(\S)", re.DOTALL)
_COLUMNS = re.compile(r"(\\begin\{array\})\s*\{[^}]*\}")
_RAISED = str.maketrans(
    {char: f"^{plain}" for char, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ⁺⁻", "0123456789n+-", strict=True)}
    | {char: f"_{plain}" for char, plain in zip("₀₁₂₃₄₅₆₇₈₉ₙ", "0123456789n", strict=True)}
)
_SPACES = frozenset(",;:! >{}")  # a brace of a set is not told from one of a group
_TRAILING = ",.;:，。；：、?!"
_DROPPED = frozenset(
    """
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle mathrm mathbf
    mathit mathsf mathcal mathbb mathscr boldsymbol bm text textbf textrm rm bf it operatorname limits
    nolimits quad qquad lbrace rbrace hspace underline hline
    """.split()  # noqa: SIM905
)
_WORDS = frozenset(
    """
    lim max min sup inf sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log lg exp det dim ker
    rank gcd arg deg Pr mod
    """.split()  # noqa: SIM905
)
# A sign and the commands that print it, or something readers take for it.
_PRINTED = """
≤ le leq leqslant; ≥ ge geq geqslant; ≠ ne neq; → to rightarrow longrightarrow; ⇒ Rightarrow
⇔ Leftrightarrow iff; · cdot; × times; ÷ div; ± pm; ∞ infty; ∂ partial; ∇ nabla; ∈ in; ∉ notin
⊂ subset; ⊆ subseteq; ∪ cup; ∩ cap; ∅ emptyset varnothing; ∀ forall; ∃ exists; ¬ neg lnot
∧ land wedge; ∨ lor vee; ⊕ oplus
∼ sim; ≈ approx; ≡ equiv; ≅ cong; ∝ propto; ⊥ perp; ∠ angle
∫ int; ∬ iint; ∭ iiint; ∮ oint; ∑ sum; ∏ prod; √ sqrt; ′ prime
… ldots cdots dots; ⋮ vdots; ⋱ ddots; | vert mid lvert rvert; ‖ Vert lVert rVert; ∘ circ; * ast star
⟨ langle; ⟩ rangle; ∖ setminus backslash; ∵ because; ∴ therefore
α alpha; β beta; γ gamma; δ delta; ε epsilon varepsilon; ζ zeta; η eta; θ theta vartheta; ι iota; κ kappa
λ lambda; μ mu; ν nu; ξ xi; π pi; ρ rho varrho; σ sigma; τ tau; υ upsilon; φ phi varphi; χ chi; ψ psi; ω omega
Γ Gamma; Δ Delta; Θ Theta; Λ Lambda; Ξ Xi; Π Pi; Σ Sigma; Φ Phi; Ψ Psi; Ω Omega
"""
_SIGNS = {
    name: group.split()[0] for group in re.split(r"[;\n]", _PRINTED.strip()) for name in group.split()[1:]
}
_SAME_NAME = {"dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "dbinom": "binom"}
_SAME_NAME |= {"overline": "bar", "overrightarrow": "vec", "widehat": "hat", "widetilde": "tilde"}
_FENCES = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "Vmatrix": "‖‖"}
_CHARS = str.maketrans("−–∗⋅•'’⋯ϕϵ∣~∆µΩ", "--*··′′…φε|∼ΔμΩ")
_PRIVATE = 0xF0000
_BUILT = re.compile(r"[\^_√∫∬∭∮∑∏&\\\U000f0000-\U000ffffd]")
_numbers: dict[str, int] = {}


def formulas(text: str) -> list[str]:
    """The formulas of a Markdown text, made comparable; empty ones left out."""
    found = (normalise(a or b).rstrip(_TRAILING) for a, b in _FORMULA.findall(text))
    return [formula for formula in found if formula]


def normalise(text: str) -> str:
    """LaTeX, or text with formulas in it, as one character a symbol without spaces, groups and layout."""
    text = unicodedata.normalize("NFKC", text.translate(_RAISED)).replace("...", "…").translate(_CHARS)
    return "".join(_symbol(*token) for token in _TOKEN.findall(_COLUMNS.sub(r"\1", text)))


def is_built(formula: str) -> bool:
    """Whether a normalised formula is more than a line of signs: scripts, fractions, sums, matrices."""
    return bool(_BUILT.search(formula))


def _symbol(begin: str, end: str, command: str, escaped: str, char: str) -> str:
    if begin or end:
        return _FENCES.get(begin or end, "  ")[0 if begin else 1].strip()
    if command:
        name = _SAME_NAME.get(command, command)
        if name in _DROPPED:
            return ""
        if name in _SIGNS:
            return _SIGNS[name]
        return name if name in _WORDS else chr(_PRIVATE + _numbers.setdefault(name, len(_numbers)))
    if escaped:
        return "" if escaped in _SPACES else "‖" if escaped == "|" else "\\" if escaped == "\\" else escaped
    return "" if char in "{}$" else char
