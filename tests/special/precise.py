"""What the special functions should return, in the arbitrary precision of flint's real balls.

The sums and integrals are of positive terms, so that nothing cancels; the tests beside check the quadratures with
doubled nodes, against mpmath and against exact fractions.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

from flint import acb, arb, ctx

DIGITS = 40
_DROP = 75.0  # e^-75 = 3e-33: what the quadratures leave out
_FAR = 80.0  # e^-80 = 2e-35: beyond it log(1 + e^z) is z


@cache
def gauss_legendre(n_nodes, digits=DIGITS + 10):
    """Nodes and weights on [0, 1]."""
    with ctx.workdps(digits):
        rule = [arb.legendre_p_root(n_nodes, k, weight=True) for k in range(n_nodes)]
        return [((x + 1) / 2, weight / 2) for x, weight in rule]


def first_beyond(fall, upper):
    """Where the increasing ``fall`` exceeds what the quadratures leave out, or ``upper`` where it never does."""
    if fall(upper) <= _DROP:
        return upper
    while fall(upper / 2) > _DROP:
        upper /= 2
    lower = upper / 2
    for _ in range(30):
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if fall(middle) > _DROP else (middle, upper)
    return upper


def half_beta(w, s, n_nodes=96):
    """P(Beta(w, s - w) > 1/2) and ``s`` times its derivatives by ``w`` and by ``s``, as floats."""
    with ctx.workdps(DIGITS + 2 * abs(int(math.log10(s)))):  # so many digits cancel
        upper, s = 2 * w > s, arb(s)
        a = s - w if upper else arb(w)
        value, d_a, d_s = _half_beta_tail(a, s, n_nodes)
        if upper:
            value, d_s = 1 - value, -(d_a + d_s)
        return float(value), float(s * d_a), float(s * d_s)


def _half_beta_tail(a, s, n_nodes):
    b, log_2 = s - a, arb.const_log2()
    distance, fs = float(s / 2 - a), float(s)
    reach = first_beyond(lambda z: distance * z + fs * math.log1p(2 * math.sinh(z / 4) ** 2), _FAR)
    mass = mass_z = mass_l = arb(0)
    for x, weight in gauss_legendre(n_nodes, ctx.dps + 10):
        z = x * reach
        softplus = z.exp().log1p()
        density = weight * (a * z - s * (softplus - log_2)).exp()
        mass += density
        mass_z += density * z
        mass_l += density * softplus
    mass, mass_z, mass_l = reach * mass, reach * mass_z, reach * mass_l
    if reach == _FAR:
        far = (s * log_2 - b * _FAR).exp() / b
        mass, mass_z, mass_l = mass + far, mass_z + far * (_FAR + 1 / b), mass_l + far * (_FAR + 1 / b)
    # 1 / B(a, b) = a scale, and psi(a) = psi(a + 1) - 1 / a: the limit at a = 0 is no exception
    scale = (s.lgamma() - (a + 1).lgamma() - b.lgamma() - s * log_2).exp()
    d_a = scale * (mass + a * (mass_z - mass * ((a + 1).digamma() - b.digamma())))
    d_s = -a * scale * (mass_l + mass * (b.digamma() - s.digamma()))
    return a * scale * mass, d_a, d_s


def kl(q, p):
    """Relative entropy of Bernoulli(q) to Bernoulli(p) for floats or balls with ``p < 1``, ``p > 0`` or ``q = 0``."""
    with ctx.workdps(2 * DIGITS):
        q, p = arb(q), arb(p)
        wrong = q * (q / p).log() if q > 0 else 0
        right = (1 - q) * ((-q).log1p() - (-p).log1p()) if q < 1 else 0
        return wrong + right


def kl_inverse(q, epsilon, start):
    """The ball around the largest ``p`` with ``kl(q, p) <= epsilon``, by Newton's method from a value close to it."""
    with ctx.workdps(2 * DIGITS):
        p = arb(start)
        for _ in range(8):
            p = (p - (kl(q, p) - epsilon) * p * (1 - p) / (p - q)).mid()
        return p


def kl_inverse_gradient(q, epsilon, start):
    """``p``, ``dp/dq`` and ``dp/depsilon`` for ``0 < q < p < 1``, by implicit differentiation."""
    p = kl_inverse(q, epsilon, start)
    with ctx.workdps(2 * DIGITS):
        d_epsilon = p * (1 - p) / (p - q)
        return p, d_epsilon * (p * (1 - arb(q)) / (q * (1 - p))).log(), d_epsilon


def xi(n):
    """Maurer's sum, exactly."""
    return Fraction(sum(math.comb(n, k) * k**k * (n - k) ** (n - k) for k in range(n + 1)), n**n)


def lower_gamma(a, t):
    """``P(a, t) = t^a e^-t / Gamma(a + 1) * sum_n t^n / (a + 1)_n``."""
    term, total, n = arb(1), arb(1), 0
    last = arb(10) ** -ctx.dps
    while term > last * total:
        for _ in range(8):
            n += 1
            term *= t / (a + n)
            total += term
    return (a * t.log() - t - (a + 1).lgamma()).exp() * total


def gamma_draw_gradient(a, log_draw):
    """Derivative of the logarithm of a gamma draw by its shape, ``-dP/da / (g density(g))``."""
    with ctx.workdps(2 * DIGITS):
        a, g = arb(a), arb(log_draw).exp()
        h = a * arb(10) ** -25
        slope = (lower_gamma(a + h, g) - lower_gamma(a - h, g)) / (2 * h)
        return float(-slope / (a * log_draw - g - a.lgamma()).exp())


def argmax_probability(concentrations, winner, panel=3.0, n_nodes=40):
    """Probability that the gamma variable ``winner`` is the largest: Gauss-Legendre in ``u = log t``.

    Below ``u = -60`` every factor is a power of ``t`` to 26 digits, and the integral over the powers is closed.
    """
    rivals = [c for k, c in enumerate(concentrations) if k != winner and c > 0]
    own = concentrations[winner]
    mode = math.log(own)
    lower = max(-60.0, mode - first_beyond(lambda d: own * (math.expm1(-d) + d), 100.0))
    upper = mode + first_beyond(lambda d: own * (math.expm1(d) - d), 30.0)
    with ctx.workdps(30):
        own, front, integral = arb(own), -arb(own).lgamma(), arb(0)
        n_panels = 3 + int((upper - lower) / panel)
        width = arb(upper - lower) / n_panels
        for i in range(n_panels):
            for x, weight in gauss_legendre(n_nodes):
                u = lower + (i + x) * width
                t = u.exp()
                integrand = weight * (own * u - t + front).exp()
                for rival in rivals:
                    integrand *= _below(rival, t)
                integral += integrand
        total = sum(rivals, own)
        log_power = front + total * lower - sum((arb(1) + c).lgamma() for c in rivals)
        return float(width * integral + (log_power.exp() / total if lower == -60.0 else 0))


def _below(a, t):
    """``P(a, t)``, with nothing computed where a Chernoff bound puts it within 1e-32 of 0 or 1."""
    ratio = float(t) / a
    if a * (ratio - 1 - math.log(ratio)) > _DROP:
        return arb(ratio > 1)
    return lower_gamma(arb(a), t)


def negative_sum(margins, alpha, digits=30):
    """P(sum m_j gamma_j <= 0) as a ball: Gil-Pelaez's integral over the logarithm of the frequency, by acb.integral.

    The balls enclose the integral between its ends. Below, the integrand is at most the frequency times the mean of
    the sum's size; above, it is a power of the frequency to all digits, or negligible.
    """
    pairs = [(float(m), float(a)) for m, a in zip(margins, alpha, strict=True) if m != 0]
    total, least = math.fsum(a for _, a in pairs), min(abs(m) for m, _ in pairs)
    drop = math.log(10) * (digits + 4)

    def fallen(u):
        return sum(a * (math.log1p(math.exp(2 * (u + math.log(abs(m)))))) / 2 for m, a in pairs)

    low = -math.log(sum(a * abs(m) for m, a in pairs)) - drop
    high = -math.log(least) + max(math.log(total), 0.0) + drop
    beyond = fallen(high) < drop
    if not beyond:
        start, end = low, high
        for _ in range(40):
            middle = (start + end) / 2
            start, end = (start, middle) if fallen(middle) > drop else (middle, end)
        high = end
    with ctx.workdps(digits + 15):
        voters = [(acb(0, arb(m)), arb(a)) for m, a in pairs]

        def integrand(u, analytic):
            t, up, down = u.exp(), acb(0), acb(0)
            for m, a in voters:
                up -= (1 - m * t).log(analytic=analytic) * a
                down -= (1 + m * t).log(analytic=analytic) * a
            return (up.exp() - down.exp()) / acb(0, 2)

        tolerance = arb(10) ** -digits
        edges = [low + (high - low) * i / 16 for i in range(17)]
        integral = sum(
            (acb.integral(integrand, x, y, abs_tol=tolerance, rel_tol=tolerance).real for x, y in pairwise(edges)),
            arb(0),
        )
        if beyond:
            phase = sum((a if m.imag > 0 else -a for m, a in voters), arb(0)) * arb.pi() / 2
            log_size = -sum((a * (abs(m).log() + high) for m, a in voters), arb(0))
            integral += phase.sin() * log_size.exp() / sum((a for _, a in voters), arb(0))
        return arb(0.5) - integral / arb.pi()
