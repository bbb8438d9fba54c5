#!/usr/bin/env python
"""I publish only the final model: what does it leak? The pack's statements, with what was measured."""

# %% [markdown]
# # The last iterate
#
# x_{t+1} = Pi_K(x_t - eta (grad F(x_t) + N(0, sigma^2))): T steps, of which only the last is published. One record
# changes the gradient by s at most; the set has diameter D. Two numbers rule: B = sD/(eta sigma^2) and T* = 4D/(eta s).

# %%
from dprepro_last_iterate.final_model import final_model as account
from dprepro_last_iterate.pairs import worst_linear
from dprepro_last_iterate.plane import thin_rectangle

import dprepro
from dprepro.practice.final_model import NoisyTraining, final_model

# %% [markdown]
# ## Strong convexity forgets
#
# Each step shrinks what came before by c, and the loss is a geometric series. Quadratics attain it up to eta = 2/(m +
# M). Beyond, none does, but a pair with a kink far away from where it starts: the difference of the gradients turns
# its sign with the iterate.

# %%
strong = dprepro.run("last_strong")
print(strong)

# %% [markdown]
# ## A bounded set forgets, too
#
# On a set of diameter D convex losses suffice. The published mu^2 = 4B holds from T = D/(eta s) on, whatever T is.
# Exact laws of the worst linear losses follow composition at first, turn at T*/6, *fall*, and are flat at about 2B.

# %%
plateau = dprepro.run("last_plateau")
print(plateau)

# %% [markdown]
# ## Published over exact
#
# The published epsilon grows as sqrt(8 B ln(1/delta)); the exact one saturates between 2B and 4B. At delta = 1e-30 the
# ratio is 3 to 11. For large B the bound is sharp: at B = 128 a linear pair needs mu^2 = 3.25 B.

# %%
frontier = dprepro.run("last_frontier")
print(frontier)
for delta in (1e-3, 1e-9, 1e-30):
    found = worst_linear(0.1, 0.2, 1.0, delta)
    print(f"delta = {delta:g}: {found.epsilon:.4f} after {found.steps} steps at a drift of {found.drift:.1f} s")

# %% [markdown]
# ## Is there anything worse?
#
# A search over convex losses and starts comes back to the linear pair, and passes it nowhere. No proof is known.

# %%
print(dprepro.run("last_search"))

# %% [markdown]
# ## A second dimension
#
# On a box linear losses are independent chains, one a coordinate, that share the diameter and the sensitivity. A square
# leaks less than an interval, a disc too. A rectangle with one thin side can leak more: the thin side shows the last
# step, the long one all of them. It takes a delta at which one step leaks about as much as many do on an interval.

# %%
print(dprepro.run("last_plane"))
print(thin_rectangle(s=3.0, eta=0.2, sigma=1.0, delta=1e-86))
print(worst_linear(3.0, 0.2, 1.0, 1e-86))

# %% [markdown]
# ## Where the intuition fails
#
# Sampled batches: what linear losses leak is no bound for all convex ones. And without convexity there is no plateau:
# from a ledge beside a slope nothing comes back.

# %%
print(dprepro.run("last_sampled"))
print(dprepro.run("last_trap"))

# %% [markdown]
# ## What a practitioner takes from it
#
# Publishing the final model alone is worth something where steps are many (T above D/(eta s)) or losses strongly
# convex. What is proved and what some losses do leak, at B = 2:

# %%
for steps in (50, 500, 5000):
    training = NoisyTraining(steps, sensitivity=0.1, noise=1.0, step_size=0.05, diameter=1.0, smoothness=20.0)
    found = final_model(training, 1e-5, {"last_iterate": account})
    seen = found.at_least.epsilon if found.at_least else 0.0
    print(f"T = {steps}: all iterates {found.every:.4g}; the last at most {found.last:.4g}, at least {seen:.4g}")
