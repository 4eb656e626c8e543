"""LaTeX in prose → what a channel can show."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.maths import with_maths_shown

CONVERSIONS = {
    # algebra
    r"\(x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}\)": "x = (−b ± √(b² − 4ac))/(2a)",
    r"$E = mc^2$": "E = mc²",
    r"$a^2 + b^2 = c^2$": "a² + b² = c²",
    r"$x^{n+1}$, $x^{-1}$, $2^{10}$": "xⁿ⁺¹, x⁻¹, 2¹⁰",
    r"$x^{q}$ and $e^{i\pi} + 1 = 0$": "x^q and e^(iπ) + 1 = 0",
    r"$2^{O(n)}$": "2^(O(n))",
    r"$\frac{1}{2}$, $2\frac{1}{2}$, $\frac34$": "½, 2½, ¾",
    r"$\frac{a}{b}c$": "(a/b)c",
    r"$\frac{1}{n(n+1)}$": "1/(n(n + 1))",
    r"$\left(\frac{a}{b}\right)^2$": "(a/b)²",
    r"$\sqrt{2}$, $\sqrt[3]{27} = 3$, $\sqrt[n]{x+1}$": "√2, ∛27 = 3, ⁿ√(x + 1)",
    r"$\sqrt{2}x$": "√2 x",
    r"$x' = -x$ and $f''(x)$": "x′ = −x and f″(x)".replace("″", "′′"),
    r"$|x||y| = |xy|$": "|x| |y| = |xy|",
    r"$a * b$": "a ∗ b",
    r"$\boxed{42}$": "42",
    r"$3 \times 10^{-19}$": "3 × 10⁻¹⁹",
    r"$x = 1,000.5$": "x = 1,000.5",
    r"$50\%$": "50%",
    # letters
    r"\(\alpha, \beta, \Gamma, \varepsilon, \varphi\)": "α, β, Γ, ε, φ",
    r"$x \in \mathbb{R}^n$": "x ∈ ℝⁿ",
    r"$\mathcal{L}$, $\mathfrak{g}$, $\mathbf{v}$, $\hbar$, $\ell$": "ℒ, 𝔤, 𝐯, ħ, ℓ",
    r"$\hat{y} = \beta_0 + \beta_1 x_1$": "ŷ = β₀ + β₁x₁",
    r"$\bar{x}_i$, $\vec{v}$, $\dot{x}$, $\tilde{n}$": "x̄ᵢ, v⃗, ẋ, ñ",
    r"$\overline{AB}$": "A̅B̅",
    # scripts
    r"$x_{\text{max}}$, $v_{avg}$, $P_B$, $a_{i,j}$": r"xₘₐₓ, v\_avg, P\_B, a\_(i,j)",
    r"$a_1, a_2, \ldots, a_n$": "a₁, a₂, …, aₙ",
    r"$90^\circ$, $20^{\circ}\text{C}$": "90°, 20°C",
    r"$A^T$, $A^\dagger$, $f^*$, $f^{(n)}$": "Aᵀ, A†, f∗, f⁽ⁿ⁾",
    r"$x_i^2$": "xᵢ²",
    # calculus
    r"$\frac{dy}{dx}$, $\frac{d^2y}{dx^2}$, $\frac{\partial f}{\partial x}$": "dy/dx, d²y/dx², ∂f/∂x",
    r"$\frac{\Delta x}{\Delta t}$": "Δx/Δt",
    r"$f'(x) = \lim_{h \to 0} \frac{f(x+h)-f(x)}{h}$": r"f′(x) = lim\_(h→0) (f(x + h) − f(x))/h",
    r"\(\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}\)": "∫₀^∞ e^(−x²) dx = √π/2",
    r"$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$": "∑ᵢ₌₁ⁿ i = n(n + 1)/2",
    r"$\prod_{k=1}^{\infty}\left(1 - q^k\right)$": "∏ₖ₌₁^∞ (1 − qᵏ)",
    r"$\nabla \times \mathbf{E} = -\frac{\partial \mathbf{B}}{\partial t}$": "∇ × 𝐄 = −∂𝐁/∂t",
    r"$\sin^2 \theta + \cos^2 \theta = 1$": "sin² θ + cos² θ = 1",
    r"$\log_2 8 = 3$ and $\ln x$": "log₂ 8 = 3 and ln x",
    # computer science, probability
    r"It takes $O(n \log n)$.": "It takes O(n log n).",
    r"\(\Theta(n^2)\)": "Θ(n²)",
    r"$P(A \mid B) = \frac{P(B \mid A)\,P(A)}{P(B)}$": "P(A | B) = P(B | A) P(A)/P(B)",
    r"$\binom{n}{k} = \frac{n!}{k!(n-k)!}$": "C(n, k) = n!/(k!(n − k)!)",
    r"$X \sim \mathcal{N}(\mu, \sigma^2)$": "X ∼ 𝒩(μ, σ²)",
    r"$\frac{1}{\sigma\sqrt{2\pi}} e^{-\frac{(x-\mu)^2}{2\sigma^2}}$": "(1/(σ√(2π)))e^(−(x − μ)²/(2σ²))",
    r"$p < 0.05$": "p < 0.05",
    r"\(\operatorname{argmax}_x f(x)\)": "argmaxₓ f(x)",
    # sets, logic, linear algebra, number theory
    r"$A \cup B \subseteq C \setminus D$": "A ∪ B ⊆ C ∖ D",
    r"$\{x \in A \mid x > 0\}$ is": "{x ∈ A | x > 0} is",
    r"$\neg p \lor q \iff p \implies q$": "¬p ∨ q ⟺ p ⟹ q",
    r"$\forall x \exists y: x \ne y$": "∀x∃y: x ≠ y",
    r"$\not= \not\in$": "≠ ∉",
    r"$f: A \to B$": "f: A → B",
    r"$A\mathbf{x} = \lambda\mathbf{x}$": "A𝐱 = λ𝐱",
    r"$\|x\|_2$, $\langle u, v \rangle$, $\lfloor x \rfloor$": "‖x‖₂, ⟨u, v⟩, ⌊x⌋",
    r"$a \equiv b \pmod{n}$": "a ≡ b (mod n)",
    # units and chemistry
    r"$5\,\text{kg} \cdot 9.81\,\mathrm{m/s^2}$": "5 kg · 9.81 m/s²",
    r"$\text{speed} = \frac{\text{distance}}{\text{time}}$": "speed = distance/time",
    r"$H_2O$ and $\mathrm{CO_2}$": "H₂O and CO₂",
    r"$\ce{2H2 + O2 -> 2H2O}$, $\ce{SO4^2-}$, $\ce{Ca(OH)2}$, $\ce{Na+}$": "2H₂ + O₂ → 2H₂O, SO₄²⁻, Ca(OH)₂, Na⁺",
    # in prose
    r"Let $n$ be even; the $n$th of the $x$s.": "Let n be even; the nth of the xs.",
    r"**Thus $x = 1$**, 设$x$为": "**Thus x = 1**, 设x为",
    r"\(5\) ways": "5 ways",
    r"It is \$5 and $x=1$, or $10": r"It is \$5 and x = 1, or $10",
}

NO_MATHS = (
    "costs $5 and $10", "$5-$10, $1,000 or US$20", "5$ + 3$ = 8$", r"\$5 and \$6", "$1$", "$5k or so, 10% of $40M", "$HOME/$USER",
    "cp $SRC_DIR/$FILE $DST_DIR/", "${x} and ${y}", "`$x^2$` and ``\\(x\\)``", "awk '{print $1, $NF}'", "^foo$|^bar$",
    "$(cat a_b)/$(date)", "https://a.org/$x^2$/y", "<@123> <:a_b:1> <t:1:R>", r"\[1\] and \(optional\)", r"[\[1\]](https://a.org)",
    r"\(\d+\)", r"C:\new\(x", r"\(x", r"x\)", "$$", "echo $$ > pid; kill $$", "$x", "a $ b $ c", "$first_name$", "$ x^2 $",
    "100$ and $x", r"\\(x\\)", "$5 or 6$", "```\n$x^2$\n```", "~~~tex\n\\[x\\]", r"\(a `b` c\)", "$$$x^2$$$",
)  # fmt: skip


@pytest.mark.parametrize(("written", "shown"), CONVERSIONS.items())
def test_simple_maths_becomes_unicode(written: str, shown: str) -> None:
    assert with_maths_shown(written) == shown


@pytest.mark.parametrize("text", NO_MATHS)
def test_what_is_not_surely_maths_is_not_touched(text: str) -> None:
    assert with_maths_shown(text) == text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"so $\begin{pmatrix} a & b \\ c & d \end{pmatrix}$", r"so `\begin{pmatrix} a & b \\ c & d \end{pmatrix}`"),
        (r"$\frac{1}{1+\frac{1}{1+\frac{1}{x}}}$", r"`\frac{1}{1+\frac{1}{1+\frac{1}{x}}}`"),
        (r"\(\unknown{x}\)", r"`\unknown{x}`"),
        (r"\(x^{\)", r"`x^{`"),
        (
            "\\[\n\\begin{cases} 1 & x > 0 \\\\\n0 \\end{cases}\n\\]",
            "```tex\n\\begin{cases} 1 & x > 0 \\\\\n0 \\end{cases}\n```",
        ),
        ("\\[\n\\begin{gather}a\n\\end{gather}\n\\].\nSo", "```tex\n\\begin{gather}a\n\\end{gather}.\n```\nSo"),
        ("> $$\n> a & b\\\\\n> c_1\n> $$", "> ```tex\n> a & b\\\\\n> c_1\n> ```"),
        ("- $$\\unknown{a_1}$$", "- ```tex\n  \\unknown{a_1}\n  ```"),
        ("# On $$\\unknown$$", "# On `\\unknown`"),
    ],
)
def test_what_is_not_simple_is_shown_as_code(written: str, shown: str) -> None:
    assert with_maths_shown(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Thus\n\n$$\nx = 1\n$$\n\nas said.", "Thus\n\nx = 1\n\nas said."),
        ("Thus \\[x = 1\\] as said.", "Thus\nx = 1\nas said."),
        ("Thus $$x = 1$$, as said.", "Thus\nx = 1,\nas said."),
        ("$$x = 1$$ $$y = 2$$", "x = 1\ny = 2"),
        ("> so\n> \\[\n> x = 1\n> \\]\n> done", "> so\n> x = 1\n> done"),
        ("1. First: \\[a+b=c\\] done.\n2. x", "1. First:\n   a + b = c\n   done.\n2. x"),
        ("| $$x^2$$ | b |", "| x² | b |"),
        ("\\[-x^2 = 1\\]", "−x² = 1"),
        ("$\\# = n^2$", "\\# = n²"),
    ],
)
def test_display_maths_stands_on_a_line_of_its_own(written: str, shown: str) -> None:
    assert with_maths_shown(written) == shown


@pytest.mark.parametrize(
    "text",
    [
        "$a= $x$ b$",
        r"$a= \(x\) b$",
        r"\( a \(x\) b=1\)",
        "$$ such $ x^2 $$ words $$",
        r"\(a=\)$b=1$",
        r"$5 \(x^2\) 6$",
        r"\(x\)$$x=1$$",
    ],
)
def test_taking_marks_away_makes_no_pair_of_what_is_left(text: str) -> None:
    once = with_maths_shown(text)
    assert with_maths_shown(once) == once


PIECES = st.lists(
    st.sampled_from(
        (*"${}^_&'!|*~`<>#-+=,.12xy", "$$", "\\(", "\\)", "\\[", "\\]", "``", "ab", " ", "\n", "\n\n", "> ", "- ", "1. ",
         "\\frac", "\\sqrt", "\\left(", "\\right)", "\\text{if a}", "\\mathbb{R}", "\\hat", "\\ce{H2O}", "\\unknown", "\\\\", "\\$",
         "\\{", "\\begin{cases}", "$x^2$", "\\(x\\)", "\\[x=1\\]", "$$x=1$$", "$5", "https://a.org/", "```\n", "word", "\\operatorname{f}",
         "\\not", "\\sum", "\\pmod", "\\xrightarrow", "\\boxed{", "|x|", "\r", "é", "数")
    ),
    max_size=25,
).map("".join)  # fmt: skip
TEXTS = st.one_of(PIECES, st.text(max_size=60))


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = with_maths_shown(text)
    assert with_maths_shown(once) == once


@settings(max_examples=200, deadline=None)
@given(PIECES)
def test_a_formula_brings_no_mark_of_emphasis_into_the_text(source: str) -> None:
    shown = with_maths_shown(f"\\({source.replace('`', '')}\\)")
    if "`" not in shown and "\\(" not in shown and "\\[" not in shown and "$" not in shown:
        unescaped = (
            shown.replace("\\\\", "").replace("\\_", "").replace("\\*", "").replace("\\|", "").replace("\\~", "")
        )
        assert not any(mark in unescaped for mark in ("*", "||", "~~")), shown


@given(st.text(alphabet=st.characters(exclude_characters="$\\"), max_size=80))
def test_text_without_delimiters_is_the_same_object(text: str) -> None:
    assert with_maths_shown(text) is text


@pytest.mark.parametrize(
    "piece",
    [
        "$",
        "\\(",
        "{",
        "\\frac",
        "`",
        "``$",
        "$x",
        "\\(\\frac",
        "> ",
        "> \\[",
        "\\[x=1\\]",
        "$5 ",
        "\\\\",
        "$x'",
        "\\(x=1",
    ],
)
def test_fifty_thousand_hostile_characters_are_read(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    for hostile in (text, f"\\({text[:1900]}\\)", f"$${text}$$"):
        assert isinstance(with_maths_shown(hostile), str)


def test_the_library_is_loaded_with_the_first_command_and_not_before() -> None:
    script = (
        "import sys; from bot.delivery.maths import with_maths_shown as shown; shown('$x^2$'); a = 'pylatexenc' in sys.modules;"
        "shown(r'$\\alpha$'); print(a, 'pylatexenc' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
