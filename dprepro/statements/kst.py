"""Kifer, Smith and Thakurta (2012), Private Convex Empirical Risk Minimization: every numbered statement."""

from __future__ import annotations

from dprepro.statements.statement import Says, Statement

STATEMENTS = (
    Statement(
        item="Definition 1",
        kind="definition",
        says=Says(
            text="(epsilon, delta)-differential privacy, neighbours differing by one added or removed record.",
        ),
        nothing="Nothing to measure; every experiment of this paper uses it.",
    ),
    Statement(
        item="Theorem 1",
        kind="privacy",
        says=Says(
            text="A pointwise limit of private algorithms is private.",
        ),
        note=(
            "One dimension, smoothed l1 penalties, for chosen pairs of neighbours: the exact delta, and the "
            "epsilon that goes with the claimed one, between .6 and 1 of what is claimed."
        ),
    ),
    Statement(
        item="Example 1",
        kind="privacy",
        says=Says(
            text=(
                "Objective perturbation with an l1 penalty is the limit of smooth ones that have densities, "
                "though it has none."
            ),
        ),
        note=(
            "Densities by the mass near zero, which shrinks with the interval before the limit and does not "
            "in it (a control, refuted)."
        ),
    ),
    Statement(
        item="Theorem 2",
        kind="privacy",
        says=Says(
            text=(
                "Objective perturbation (Algorithm 1) with Delta >= 2 lambda/epsilon is private, over any "
                "closed convex set and with any convex penalty."
            ),
        ),
        note=(
            "Exactly computed in one dimension for chosen pairs of neighbours, without constraint or penalty "
            "(an l1 penalty in kst_limits). That can disprove privacy; elsewhere it is evidence only."
        ),
    ),
    Statement(
        item="Lemma 3",
        kind="inequality",
        says=Says(
            text="The risk is at most 2 ||b||^2/(Delta n) + Delta ||theta_hat||^2/(2n), for every draw of the noise.",
        ),
        note="Every draw, on four sets, with and without an l1 penalty.",
    ),
    Statement(
        item="Theorem 4",
        kind="rate",
        says=Says(
            text=(
                "With Delta >= lambda/(2 epsilon) Algorithm 1, which is private, loses zeta ||theta_hat|| p "
                "log p/(epsilon n) with gamma and zeta ||theta_hat|| sqrt(p log 1/delta)/(epsilon n) with "
                "Gaussian noise."
            ),
            constant={
                "schedule_games": ["objective_paper_known", "objective_paper_bound"],
                "worst_constants": ["known_objective_gaussian", "bound_objective_gaussian"],
            },
        ),
        false=("Theorem 4, assumption",),
        repaired=Says(
            text="It is private, and loses that much, with Delta >= 2 lambda/epsilon, as its own line 1 has it.",
        ),
        note=(
            "The risk alone needs no such assumption. Suprema over the norm of the data, for linear losses; "
            "the dependence on delta is that of the printed noise."
        ),
    ),
    Statement(
        item="Assumption 1",
        kind="definition",
        says=Says(
            text="Strong convexity eta of order lambda n/p in a ball of a certain radius, and n >= p^2.",
        ),
        nothing="The premise of Theorem 5; the data of row 3 of Table 1 satisfy it.",
    ),
    Statement(
        item="Theorem 5",
        kind="rate",
        says=Says(
            text=(
                "Under Assumption 1 the risk is O((p^2 zeta^2 log(1/delta)/(lambda n epsilon) + lambda "
                "||theta_hat||^2)/(n epsilon))."
            ),
            upper_only=True,
        ),
        note="As an upper bound only, with its constants; the exponents are out of reach, since the second term rules.",
    ),
    Statement(
        item="Table 1",
        kind="rate",
        says=Says(
            text=(
                "Linear regression with rows and parameter of norm sqrt(p) loses p^3/n, p^(5/2)/n, and p^2/n "
                "on nice data."
            ),
        ),
        note="Rows 1 and 2 as exponents, row 3 as an inequality.",
    ),
    Statement(
        item="Definition 2",
        kind="definition",
        says=Says(
            text="Well-behaved designs, with restricted strong convexity.",
        ),
        nothing=(
            "A definition; sparse_fits and sparse_regression measure its first three conditions on their own "
            "data, which signs attain."
        ),
    ),
    Statement(
        item="Remark after Definition 2",
        kind="inequality",
        says=Says(
            text=(
                "Gaussian rows with eigenvalues below 1 are well behaved with high probability once n grows as s log p."
            ),
        ),
        false=("Remark after Definition 2",),
        repaired=Says(
            text="Rows of deviation 1/(2 sqrt(ln(n p))) satisfy condition 1 with probability 1 - 1/p or more.",
        ),
        note="At s = 1, which implies the condition for all s.",
    ),
    Statement(
        item="Assumption 2",
        kind="definition",
        says=Says(
            text="A sparse linear model with a well-behaved design.",
        ),
        nothing="A definition.",
    ),
    Statement(
        item="Assumption 3",
        kind="definition",
        says=Says(
            text="Assumption 2 on each of sqrt(n) blocks.",
        ),
        nothing="A definition.",
    ),
    Statement(
        item="Table 2",
        kind="rate",
        says=Says(
            text=(
                "Sparse regression needs n above s^3 log p by the exponential mechanism and above s^2 log^2 p"
                " by sample and aggregate."
            ),
        ),
        note=(
            "The n at which the exact law of the support reaches a fixed quality, as upper bounds; one power "
            "less is refuted each time."
        ),
    ),
    Statement(
        item="Theorem 6",
        kind="rate",
        says=Says(
            text="The exponential mechanism over supports loses O(alpha s log p/(epsilon n)).",
            constant={"worst_constants": ["known_supports", "bound_supports"]},
        ),
        note=(
            "Suprema over the gap of the data, by the exact law of the support, for p up to 1e250; the "
            "constant tends to 2."
        ),
    ),
    Statement(
        item="Theorem 7",
        kind="rate",
        says=Says(
            text=(
                "With objective perturbation on the chosen support the risk is O((s log(1/delta)/(n epsilon "
                "Psi) + s^3 log p)/(n epsilon))."
            ),
            constant={"worst_constants": ["known_pipeline", "bound_pipeline"]},
        ),
        false=("Theorem 7",),
        repaired=Says(
            text="The same with s^4 log(1/delta) in the first term.",
        ),
        note=(
            "Each term is seen by itself, the first where the support is found, the second where signals are "
            "weak. The printed sum is contradicted only where ln(1/delta) is far above s ln^2 p; it is the "
            "first term alone that is refuted."
        ),
    ),
    Statement(
        item="Theorem 8",
        kind="inequality",
        says=Says(
            text=(
                "If all blocks find the support, sample and aggregate returns it with probability 1 - p "
                "exp(-epsilon k/(4 s)) or more."
            ),
        ),
        note="Draws agree with the exact probability, which falls twice as fast in k.",
    ),
    Statement(
        item="Theorem 9",
        kind="rate",
        restates=("Theorem 43",),
        says=Says(
            text=(
                "Sparse regression by sample and aggregate has risk O(s^2/(n epsilon) (s^2 log(1/delta)/(n "
                "epsilon Psi) + 1))."
            ),
            constant={"worst_constants": ["known_small_aggregated", "bound_aggregated"]},
        ),
        note="Its first term, with its constant; the second is an upper bound for the bias, which is smaller.",
    ),
    Statement(
        item="Table 3",
        kind="definition",
        says=Says(
            text="The objective functions and the names of their minimisers.",
        ),
        nothing="Notation; nothing to measure.",
    ),
    Statement(
        item="Lemma 10",
        kind="privacy",
        restates=("Theorem 1",),
        says=Says(
            text="Privacy of a pair of neighbours passes to pointwise limits.",
        ),
        note="On the pairs and the limit of Theorem 1's row, which is this lemma for all pairs.",
    ),
    Statement(
        item="Claim 11",
        kind="inequality",
        says=Says(
            text="Borel sets are approximated by open and closed sets.",
        ),
        note="Regularity of measures, a textbook's theorem about sets; no number in it can be measured.",
    ),
    Statement(
        item="Claim 12",
        kind="inequality",
        says=Says(
            text="The measure of an open set under the limit is at most the lower limit of its measures.",
        ),
        note="Half-lines around the atom of an l1 penalty in one dimension; of closed half-lines it is false.",
    ),
    Statement(
        item="Claim 13",
        kind="inequality",
        says=Says(
            text="The inequality of privacy on open sets holds on Borel sets.",
        ),
        note="By Claim 11; like it, about all Borel sets, with no number that can be measured.",
    ),
    Statement(
        item="Lemma 14",
        kind="privacy",
        restates=("Theorem 2",),
        says=Says(
            text=(
                "Objective perturbation with Delta >= 2 lambda/epsilon is private for smooth penalties and "
                "without constraints."
            ),
        ),
        note="Exactly computed in one dimension, without constraint or penalty, for chosen pairs of neighbours.",
    ),
    Statement(
        item="Lemma 15",
        kind="inequality",
        says=Says(
            text=(
                "If E has a rank of at most two, det(A + E)/det(A) - 1 is the sum of the two highest "
                "eigenvalues of A^-1 E and their product."
            ),
        ),
        false=("Lemma 15",),
        repaired=Says(
            text="It is with the two eigenvalues that are not zero, whatever their signs.",
        ),
        note="Quoted from elsewhere; random matrices.",
    ),
    Statement(
        item="Lemma 16",
        kind="inequality",
        says=Says(
            text="A projection of a Gaussian vector on v is Gaussian with variance ||v||^2.",
        ),
        note="By convolution, v_j = 1/j.",
    ),
    Statement(
        item="Lemma 17",
        kind="inequality",
        says=Says(
            text="Pr(|Z| > t) <= exp(-t^2/2) for t > 1.",
        ),
    ),
    Statement(
        item="Lemma 18",
        kind="inequality",
        says=Says(
            text=(
                "Minimisers of objectives with mollified penalties converge pointwise to the minimiser with "
                "the penalty itself."
            ),
        ),
        note="An l1 penalty in up to 5 dimensions, the worst noise vector; within the proof's sqrt(4 xi/Delta).",
    ),
    Statement(
        item="Claim 19",
        kind="inequality",
        says=Says(
            text="Objectives with mollified penalties converge uniformly on bounded sets.",
        ),
        note="An l1 penalty; of theta^4 on an unbounded set it is false.",
    ),
    Statement(
        item="Lemma 20",
        kind="privacy",
        says=Says(
            text=(
                "Objective perturbation with Delta >= 2 lambda/epsilon is private for any convex penalty, "
                "without constraints."
            ),
        ),
        note="Exactly computed in one dimension with an l1 penalty, for chosen pairs of neighbours.",
    ),
    Statement(
        item="Lemma 21",
        kind="inequality",
        says=Says(
            text="Minimisers with growing penalties for leaving the set converge to the constrained one.",
        ),
        note="In one dimension; they are equal from the slope on that the proof takes, not with squared distances.",
    ),
    Statement(
        item="Claim 22",
        kind="inequality",
        says=Says(
            text="A Delta-strongly convex function exceeds its minimum by Delta/2 times the distance.",
        ),
        false=("Claim 22",),
        repaired=Says(
            text="It exceeds it by Delta/2 times the squared distance.",
        ),
    ),
    Statement(
        item="Claim 23",
        kind="inequality",
        says=Says(
            text="Difference quotients of a convex function grow.",
        ),
        note="Powers of |t| of 1 to 4; false for a power of 1/2 and for s < 1.",
    ),
    Statement(
        item="Lemma 24",
        kind="inequality",
        says=Says(
            text="The noise moves the minimiser by at most 2 ||b||/Delta.",
        ),
        note="Every draw; the largest share of the bound is a half, as the proof drops a term.",
    ),
    Statement(
        item="Corollary 25",
        kind="inequality",
        says=Says(
            text="The noise costs at most 2 ||b||^2/(Delta n) of the regularised objective.",
        ),
        note="Every draw; the largest share of the bound is a quarter.",
    ),
    Statement(
        item="Theorem 26",
        kind="inequality",
        says=Says(
            text=(
                "With probability 1 - gamma the risk is at most 8 zeta^2 p^2 log^2(p/gamma)/(n epsilon^2 "
                "Delta) with gamma noise, 4 p zeta^2 (8 log(2/delta) + 4 epsilon) log(1/gamma)/(n epsilon^2 "
                "Delta) with Gaussian noise, and Delta ||theta_hat||^2/(2n) besides."
            ),
        ),
        false=("Lemma 28, consequence",),
        repaired=Says(
            text="It is, with 1 + log(1/gamma) in the place of log(1/gamma).",
        ),
        note="The half on gamma noise stands as printed. By Lemma 3, for every draw, and the exact tails of ||b||.",
    ),
    Statement(
        item="Lemma 27",
        kind="inequality",
        says=Says(
            text="A gamma variable exceeds p theta log(p/gamma) with probability at most gamma.",
        ),
    ),
    Statement(
        item="Lemma 28",
        kind="inequality",
        says=Says(
            text="A Gaussian vector's norm exceeds sqrt(phi p) with probability at most exp(-p (phi - 1 - log phi)/2).",
        ),
        note="What the next two lines draw from it is false, see the errata.",
    ),
    Statement(
        item="Theorem 29",
        kind="rate",
        says=Says(
            text=(
                "On generalised linear models the population risk of Algorithm 1 is R L sqrt(p log 1/delta) "
                "||theta||/(epsilon n)."
            ),
        ),
        false=("Theorem 29",),
        repaired=Says(
            text="It is that and a sampling term of order R L ||theta||/sqrt(n).",
        ),
        note="No worst data are searched for, as records are draws.",
    ),
    Statement(
        item="Theorem 30",
        kind="inequality",
        says=Says(
            text=(
                "Where the mean loss is eta/n-strongly convex around its minimiser, theta^priv is, with "
                "probability 1 - gamma, within sqrt(2p) zeta sqrt((8 log(2/delta) + 4 epsilon) "
                "log(1/gamma))/(epsilon (Delta + eta)) of theta# and that plus sqrt(Delta/(Delta + eta)) "
                "||theta_hat|| of theta_hat."
            ),
        ),
        false=("Lemma 28, consequence",),
        repaired=Says(
            text="It is, with 1 + log(1/gamma) in the place of log(1/gamma).",
        ),
        note="By the distance for every draw of the noise, and the exact tail of its norm.",
    ),
    Statement(
        item="Theorem 31",
        kind="inequality",
        says=Says(
            text=(
                "Where the mean loss is eta/n-strongly convex around its minimiser, the risk is, with "
                "probability 1 - gamma, O(p zeta^2 log(1/delta) log(1/gamma)/(n epsilon^2 (Delta + eta)) + "
                "Delta ||theta_hat||^2/n)."
            ),
        ),
        false=("Lemma 28, consequence",),
        repaired=Says(
            text="It is, with 1 + log(1/gamma) in the place of log(1/gamma).",
        ),
        note="By the risk in expectation (Theorem 5), and the exact tail of ||b||.",
    ),
    Statement(
        item="Theorem 32",
        kind="privacy",
        says=Says(
            text="The exponential mechanism over supports is epsilon-private.",
        ),
        note="All 66 supports of a small problem; half of epsilon is what is spent, and is attained.",
    ),
    Statement(
        item="Lemma 33",
        kind="inequality",
        says=Says(
            text="The score of a support has sensitivity alpha.",
        ),
    ),
    Statement(
        item="Theorem 34",
        kind="inequality",
        says=Says(
            text="With probability 1 - gamma the chosen support loses at most 2 alpha s log(p/gamma)/(epsilon n).",
        ),
        note="Attained up to the factor 1/(1 + gamma) at s = 1.",
    ),
    Statement(
        item="Theorem 35",
        kind="inequality",
        says=Says(
            text="The pipeline of the exponential mechanism and objective perturbation, with constants.",
        ),
        note="In expectation with sharper constants, half of which is refuted; the printed tail was never reached.",
    ),
    Statement(
        item="Theorem 36",
        kind="privacy",
        says=Says(
            text="Sample and aggregate (Algorithm 5) is epsilon-private.",
        ),
        false=("Theorem 36, partition",),
        repaired=Says(
            text=(
                "It is, where n is public and the blocks are a random partition, or the order of the records "
                "is a part of the data and a record is replaced at its place; or where each record goes to "
                "one of k blocks at random and k is public."
            ),
        ),
    ),
    Statement(
        item="Theorem 37",
        kind="privacy",
        says=Says(
            text="Choosing the top s of scores with Laplace noise 2 s Delta_q/epsilon is epsilon-private.",
        ),
        note="Quoted from elsewhere, modified. For p up to 5 and s up to 3; attained.",
    ),
    Statement(
        item="Theorem 38",
        kind="privacy",
        says=Says(
            text="Algorithm 6, private sparse regression, is (epsilon, delta)-private.",
        ),
        false=("Theorem 36, partition",),
        repaired=Says(
            text=(
                "It is, where n is public and Algorithm 5 is as repaired: shown where a record is zeroed out "
                "at its place."
            ),
        ),
        note="The joint law of support and answer on two coordinates.",
    ),
    Statement(
        item="Lemma 39",
        kind="inequality",
        says=Says(
            text="The gradient on a support of size s is less than 2 s^(3/2).",
        ),
        false=("Lemma 39",),
        repaired=Says(
            text="It is at most 2 s^(3/2).",
        ),
    ),
    Statement(
        item="Lemma 40",
        kind="inequality",
        says=Says(
            text="The eigenvalues of a weighted sum of rank-one matrices sum to at most the weighted squared norms.",
        ),
        note="Quoted from elsewhere; random matrices, and orthogonal ones, which attain it.",
    ),
    Statement(
        item="Lemma 41",
        kind="inequality",
        says=Says(
            text="For n >= (16 sigma/(Psi Phi))^4 s^2 log^2 p the support of every block is the right one.",
        ),
        note=(
            "On certified designs with the worst admissible noise, from the least n on; half the least signal"
            " is refuted."
        ),
    ),
    Statement(
        item="Lemma 42",
        kind="inequality",
        says=Says(
            text="The l1-penalised estimate errs by at most 8 sigma/Psi sqrt(s log p/n).",
        ),
        note=(
            "Quoted from elsewhere. On orthogonal designs the worst admissible noise reaches 9/16 of the "
            "squared bound; a tenth of the penalty exceeds it."
        ),
    ),
    Statement(
        item="Theorem 43",
        kind="rate",
        says=Says(
            text="Theorem 9 again, with its probability.",
            constant={"worst_constants": ["known_small_aggregated", "bound_aggregated"]},
        ),
        false=("Algorithm 6, line 4",),
        repaired=Says(
            text="The same with rows normalised as in Algorithm 3.",
        ),
    ),
    Statement(
        item="Theorem 44",
        kind="inequality",
        says=Says(
            text="Theorem 43 with its constants.",
        ),
        false=("Algorithm 6, line 4",),
        repaired=Says(
            text="The same with rows normalised as in Algorithm 3, and with the denominator Delta + n Psi.",
        ),
        note="As printed its denominator has Psi in place of n Psi, see the errata.",
    ),
)
