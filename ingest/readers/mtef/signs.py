"""Tables: Unicode and MathType's private characters to LaTeX, positions of symbol fonts to Unicode."""

from __future__ import annotations

# Each word is a character and the name of its LaTeX command.
_COMMANDS = """
αalpha βbeta γgamma δdelta εvarepsilon ϵepsilon ζzeta ηeta θtheta ϑvartheta ιiota κkappa ϰvarkappa λlambda
μmu µmu νnu ξxi πpi ϖvarpi ρrho ϱvarrho σsigma ςvarsigma τtau υupsilon φvarphi ϕphi χchi ψpsi ωomega
ΓGamma ΔDelta ∆Delta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΥUpsilon ϒUpsilon ΦPhi ΨPsi ΩOmega ΩOmega
∀forall ∃exists ∄nexists ∂partial ∇nabla ∅varnothing ∞infty ℵaleph ℑIm ℜRe ℘wp ℏhbar ℓell ƛlambdabar
∈in ∉notin ∋ni ∌{not\\ni} ⊂subset ⊃supset ⊆subseteq ⊇supseteq ⊄{not\\subset} ⊅{not\\supset} ⊈nsubseteq
⊉nsupseteq ⊊subsetneq ⊋supsetneq ⊏sqsubset ⊐sqsupset ⊑sqsubseteq ⊒sqsupseteq ∖setminus
∩cap ∪cup ⋂bigcap ⋃bigcup ⊓sqcap ⊔sqcup ⊎uplus ∧wedge ∨vee ⋀bigwedge ⋁bigvee ¬neg ⊕oplus ⊖ominus ⊗otimes
⊘oslash ⊙odot ⨁bigoplus ⨂bigotimes ⨀bigodot ⊞boxplus ⊟boxminus ⊠boxtimes ⊻veebar ⊼barwedge
±pm ∓mp ×times ÷div ·cdot ⋅cdot ∘circ ∙bullet •bullet ∗ast ⋆star ★bigstar †dagger ‡ddagger ⋄diamond
≤leq ≥geq ≦leqq ≧geqq ⩽leqslant ⩾geqslant ≠neq ≡equiv ≢{not\\equiv} ≈approx ≉{not\\approx} ≊approxeq ∼sim
≁nsim ≃simeq ≅cong ≇ncong ∽backsim ≐doteq ≑doteqdot ≒fallingdotseq ≓risingdotseq ≔coloneqq ≜triangleq
≪ll ≫gg ⋘lll ⋙ggg ≮nless ≯ngtr ≰nleq ≱ngeq ≲lesssim ≳gtrsim ≶lessgtr ≷gtrless ≨lneqq ≩gneqq ⋚lesseqgtr
⋛gtreqless ≺prec ≻succ ≼preccurlyeq ≽succcurlyeq ⪯preceq ⪰succeq ⊲vartriangleleft ⊳vartriangleright
⊴trianglelefteq ⊵trianglerighteq ∝propto ∥parallel ∦nparallel ∣mid ∤nmid ⊥perp ⊢vdash ⊣dashv ⊨models ⊤top
⊩Vdash ⊪Vvdash ≍asymp ⌣smile ⌢frown ∠angle ∡measuredangle ∢sphericalangle
∴therefore ∵because ∎blacksquare
∑sum ∏prod ∐coprod ∫int ∬iint ∭iiint ∮oint ∯oiint ∰oiiint √surd ∕slash
←leftarrow →to ↑uparrow ↓downarrow ↔leftrightarrow ↕updownarrow ↖nwarrow ↗nearrow ↘searrow ↙swarrow
↚nleftarrow ↛nrightarrow ↦mapsto ↩hookleftarrow ↪hookrightarrow ↼leftharpoonup ↽leftharpoondown
↿upharpoonleft ⇀rightharpoonup ⇁rightharpoondown ↾upharpoonright ⇂downharpoonright ⇃downharpoonleft
⇄rightleftarrows ⇆leftrightarrows ⇇leftleftarrows ⇉rightrightarrows ⇋leftrightharpoons ⇌rightleftharpoons
⇍nLeftarrow ⇎nLeftrightarrow ⇏nRightarrow ⇐Leftarrow ⇑Uparrow ⇒Rightarrow ⇓Downarrow ⇔Leftrightarrow
⇕Updownarrow ⟵longleftarrow ⟶longrightarrow ⟷longleftrightarrow
⟸Longleftarrow ⟹Longrightarrow ⟺Longleftrightarrow
⟼longmapsto ↺circlearrowleft ↻circlearrowright ↝leadsto
…ldots ⋯cdots ⋮vdots ⋰iddots ⋱ddots ′prime ‵backprime ‖| ∥parallel ∣mid
□square ■blacksquare ◻square ◼blacksquare △triangle ▲blacktriangle ▽triangledown ▼blacktriangledown
◁triangleleft ▷triangleright ◊lozenge ⧫blacklozenge ○bigcirc ◯bigcirc ♠spadesuit ♥heartsuit ♦diamondsuit
♣clubsuit ♭flat ♮natural ♯sharp ✓checkmark ✠maltese
⟨langle ⟩rangle 〈langle 〉rangle 〈langle 〉rangle ⌊lfloor ⌋rfloor ⌈lceil ⌉rceil ⟦llbracket ⟧rrbracket
ℂ{mathbb{C}} ℍ{mathbb{H}} ℕ{mathbb{N}} ℙ{mathbb{P}} ℚ{mathbb{Q}} ℝ{mathbb{R}} ℤ{mathbb{Z}}
ℬ{mathscr{B}} ℰ{mathscr{E}} ℱ{mathscr{F}} ℋ{mathscr{H}} ℐ{mathscr{I}} ℒ{mathscr{L}} ℳ{mathscr{M}}
ℛ{mathscr{R}} ℨ{mathfrak{Z}} ℭ{mathfrak{C}} ℌ{mathfrak{H}} ⅆ{mathrm{d}} ⅇ{mathrm{e}} ⅈ{mathrm{i}}
"""
# MathType's own codes, outside what Unicode had when they were given out.
_PRIVATE = {
    0xE90B: r"\supseteqq",
    0xE90C: r"\subseteqq",
    0xE922: r"\lesseqgtr",
    0xE92D: r"\gtreqless",
    0xE932: r"\lesssim",
    0xE933: r"\gtrsim",
    0xE98F: r"\cdot",
    0xEA06: r"\nleq",
    0xEA07: r"\ngeq",
    0xEA34: r"\lneqq",
    0xEA35: r"\gneqq",
    0xEC07: "|",
    0xEC08: "|",
    0xEC09: r"\|",
    0xEC0A: r"\|",
    0xED10: r"\mathrm{d}",
    0xED11: r"\mathrm{e}",
    0xED12: r"\mathrm{i}",
    0xF8EE: r"\lceil",
    0xF8F0: r"\lfloor",
    0xF8F9: r"\rceil",
    0xF8FB: r"\rfloor",
}
_PLAIN = {
    "−": "-",
    "–": "-",
    "—": "-",
    "‐": "-",
    "∶": ":",
    "∷": "::",
    "⁄": "/",
    "‘": "'",
    "’": "'",
    "“": "``",
    "”": "''",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "\\": r"\backslash",
    "~": r"\sim",
    "^": r"\hat{}",
    "`": "'",
    "″": "''",
    "‴": "'''",
    "£": r"\pounds",
    "∁": r"\complement",
    "ℎ": "h",
    "ϐ": r"\beta",
    "¨": r"\ddot{}",
    "¯": r"\bar{}",
    "´": r"\acute{}",
}
_GREEK_AS_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_RELATIONS = set("=<>≤≥≦≧⩽⩾≠≡≢≈≉≊∼≁≃≅≇∽≐≑≒≓≔≜≪≫⋘⋙≮≯≰≱≲≳≶≷≨≩⋚⋛≺≻≼≽⪯⪰⊲⊳⊴⊵∝∥∦⊥⊢⊣⊨⊩∈∉∋∌⊂⊃⊆⊇⊄⊅⊈⊉⊊⊋←→↔↦⇐⇒⇔⟵⟶⟷⟸⟹⟺⇌⇄")

SYMBOL = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεϕγηιφκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(
        zip(
            range(0xA1, 0xE6),
            "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…∣⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑",
            strict=True,
        )
    ),
    0xF1: "⟩",
    0xF2: "∫",
    0x22: "∀",
    0x24: "∃",
    0x27: "∋",
    0x2A: "∗",
    0x2D: "−",
    0x40: "≅",
    0x5C: "∴",
    0x5E: "⊥",
    0x7E: "∼",
}
MT_EXTRA = {
    **dict(zip(range(0x3A, 0x40), "∼≃⊲≪⊳≫", strict=True)),
    **dict(zip(range(0x4B, 0x54), "…⋯⋮⋰⋱∥∵∡∢", strict=True)),
    **dict(zip(range(0x55, 0x58), "⋃△□", strict=True)),
    **dict(zip((0x40, 0x42, 0x43, 0x44, 0x49), "≜≐∐ƛ⋂", strict=True)),
    **dict(zip((0x5A, 0x5B, 0x5D, 0x5E), "↗↙↘↖", strict=True)),
    **dict(zip((0x60, 0x61, 0x62, 0x64, 0x65, 0x66), "‵↦↕○⊙≻", strict=True)),
    **dict(zip((0x68, 0x6C, 0x6D, 0x6F, 0x70), "ℏℓ∓∘≺", strict=True)),
    **dict(zip((0x83, 0x86, 0x87), "⇌⇀↽", strict=True)),
    **dict(zip((0xA1, 0xA2, 0xA3, 0xA4, 0xA5), "ℝℤℂℚℕ", strict=True)),
}


def _commands() -> dict[str, str]:
    found = {}
    for word in _COMMANDS.split():
        name = word[1:].replace("\\\\", "\\")
        found[word[0]] = "\\" + (name[1:-1] if name[0] == "{" else name)
    return found


LATEX = {**_commands(), **_PLAIN, **_GREEK_AS_LATIN}


def private(code: int) -> str | None:
    """LaTeX of a character of MathType's private area, None when it is not known."""
    if code in _PRIVATE:
        return _PRIVATE[code]
    for start, command in ((0xF000, "mathfrak"), (0xF080, "mathbb"), (0xF100, "mathscr")):
        if start <= code < start + 52:
            place = code - start
            return rf"\{command}{{{chr(0x41 + place if place < 26 else 0x61 + place - 26)}}}"
    if 0xF0C0 <= code < 0xF0CA:
        return rf"\mathbb{{{code - 0xF0C0}}}"
    if 0xF180 <= code < 0xF19A:
        return rf"\mathrm{{{chr(0x41 + code - 0xF180)}}}"
    return None


def is_relation(char: str) -> bool:
    """Whether lines are aligned at this sign."""
    return char in _RELATIONS
