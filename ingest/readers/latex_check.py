"""Whether LaTeX from outside can be shown: whole, short, of commands that draw, and not a stutter."""

from __future__ import annotations

import re

MAX_CHARS = 1500
_MAX_DEPTH = 30
_MAX_RUN = 60  # tokens of one repeated pattern: more than a row of zeros or of dots
_MAX_PERIOD = 8
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S", re.DOTALL)
_ENVIRONMENT = re.compile(r"\s*\{\s*([A-Za-z]+\*?)\s*\}")
_FORBIDDEN = frozenset("$%#~`\x7f")
_ENVIRONMENTS = frozenset(
    """
    array matrix pmatrix bmatrix vmatrix Vmatrix Bmatrix smallmatrix cases aligned align gathered split
    """.split()  # noqa: SIM905
)
_COMMANDS = frozenset(
    r"""
    frac dfrac tfrac cfrac sqrt binom overline underline overbrace underbrace overset underset stackrel
    overrightarrow overleftarrow widehat widetilde vec hat bar tilde dot ddot dddot acute grave check breve
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr langle rangle lfloor
    rfloor lceil rceil lbrace rbrace lbrack rbrack lvert rvert lVert rVert vert Vert mid nmid parallel
    begin end quad qquad displaystyle textstyle scriptstyle limits nolimits hline hdots hfill
    text textrm textbf mathrm mathbf mathit mathsf mathcal mathbb mathscr mathfrak boldsymbol bm rm bf it
    operatorname sum prod int iint iiint oint bigcup bigcap bigoplus bigvee bigwedge coprod partial nabla
    lim limsup liminf max min sup inf sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth ln log
    lg exp det dim ker rank gcd arg deg Pr mod bmod pmod hom
    le leq leqslant ge geq geqslant ne neq lt gt ll gg approx equiv cong sim simeq propto prec succ preceq
    succeq in notin ni subset subseteq subsetneq supset supseteq cup cap setminus emptyset varnothing forall
    exists nexists neg lnot land lor wedge vee oplus ominus otimes odot vdash models perp angle triangle
    to gets mapsto rightarrow leftarrow leftrightarrow longrightarrow longleftarrow Rightarrow Leftarrow
    Leftrightarrow Longrightarrow Longleftrightarrow implies iff uparrow downarrow rightleftharpoons
    rightharpoonup nearrow searrow xrightarrow xleftarrow
    times div cdot cdots ldots dots vdots ddots pm mp ast star circ bullet colon prime infty hbar ell Re Im
    aleph because therefore degree square Box diamond dagger S P not
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
    Phi Psi Omega
    """.split()  # noqa: SIM905
)


def fault(latex: str) -> str:
    r"""What keeps a formula (without its dollar signs) from being shown, '' when nothing does.

    Braces, \left and \right, and environments must close; only commands that draw are known, so
    nothing is defined, included or linked.
    """
    if not latex.strip():
        return "it is empty"
    if len(latex) > MAX_CHARS:
        return f"it is longer than {MAX_CHARS:,} characters"
    if not latex.replace("\n", " ").isprintable() or _FORBIDDEN & set(re.sub(r"\\[%#]", "", latex)):
        return "it holds characters that no formula has"
    tokens = [(match[0], match.end()) for match in _TOKEN.finditer(latex)]
    if _stutters([token for token, _ in tokens]):
        return "it repeats itself"
    return _unclosed(latex, tokens)


def _unclosed(latex: str, signs: list[tuple[str, int]]) -> str:
    open_: list[str] = []
    for sign, end in signs:
        name = sign[1:]
        if sign.startswith("\\") and name.isalpha() and name not in _COMMANDS:
            return f"it has the command {sign[:20]}"
        if sign == "{" or name == "left":
            open_.append(sign)
        elif sign == "}" or name == "right":
            if not open_ or open_.pop() != ("{" if sign == "}" else "\\left"):
                return "it does not close what it opens"
        elif name in ("begin", "end"):
            found = _ENVIRONMENT.match(latex, end)
            kind = found[1] if found else ""
            if kind.rstrip("*") not in _ENVIRONMENTS:
                return f"it has the environment {kind[:20]!r}"
            if name == "begin":
                open_.append(kind)
            elif not open_ or open_.pop() != kind:
                return "it does not close what it opens"
        if len(open_) > _MAX_DEPTH:
            return "it is nested too deep"
    return "it does not close what it opens" if open_ else ""


def _stutters(tokens: list[str]) -> bool:
    """Whether one pattern of a few tokens fills a long stretch, as of a model that does not stop."""
    for period in range(1, _MAX_PERIOD + 1):
        run = 0
        for at in range(period, len(tokens)):
            run = run + 1 if tokens[at] == tokens[at - period] else 0
            if run > _MAX_RUN:
                return True
    return False
