# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Privacy, measured
#
# An accountant says what an algorithm may spend at most; it reads noise scales and sensitivities, not answers. An audit
# takes the answers themselves, on two neighbouring data sets. Half of them choose an event that happens more often on
# one side, the other half count it. If it happens with probability above $e^\varepsilon Q + \delta$ where $Q$ is that
# of the other side, the claim is false. What it finds is a lower limit, with 99% confidence; what is certified is an
# upper one. What is spent lies between.
#
# Run it as `python experiments/privacy.py`, or open it as a notebook with jupytext. Measurements are kept in
# `./results`. The first time takes a minute or two.

# %%
from walkthrough import check, practice, verdict

import dprepro

# %% [markdown]
# ## What a distinguisher achieves
#
# An audit that notices nothing would confirm anything. So each one is repeated on the same algorithm with more than
# the claimed budget, at the same number of draws: if it does not notice a factor of 1.3, it supports nothing (of five
# plain answers it notices a factor of 4; their exact laws, below, notice 1.3). Of an algorithm that is made of several
# mechanisms it sees the noisy answer of each: that is what composition pays for.

# %%
audit = dprepro.run("privacy_audit")
verdict(audit)
audit

# %%
practice(
    f"the gradients of noisy descent spend at least {check(audit, 'noisy_gd_audit'):.2f} of the claimed epsilon,",
    f"of the exponential mechanism at least {check(audit, 'exponential_audit'):.2f}: the rest is slack, or out of",
    "sight of so few draws.",
    "An algorithm that publishes two answers and accounts for one is seen to spend",
    f"{check(audit, 'published_twice'):.2f} times its claim. Audit what you run, beside what you compute.",
)

# %% [markdown]
# What a run hides by chance, a random map or the part that has a record, can hardly be seen in the last answer; here a
# distinguisher is told.

# %%
hidden = dprepro.run("privacy_audit_glm")
verdict(hidden)
hidden

# %%
practice(
    f"of noisy moments at least {check(hidden, 'moments_audit'):.2f} of the claim is seen to be spent, after a sketch",
    f"{check(hidden, 'countsketch_audit'):.2f}, of boosting {check(hidden, 'boosting_audit'):.2f}.",
)

# %% [markdown]
# ## Exact laws
#
# Where the law of the answer is known no draws are needed. All small pairs are gone through, under every relation that
# the algorithm accepts.

# %%
laws = dprepro.run("privacy_laws")
verdict(laws)
laws

# %%
practice(
    f"objective perturbation with gamma noise spends {check(laws, 'objective_pure_zeroed_exact'):.3f} of its epsilon,",
    f"with Gaussian noise {check(laws, 'objective_zeroed_exact'):.2f}: its certificate leaves that much to gain.",
)

# %% [markdown]
# ## Delta against epsilon
#
# In one dimension the law of some answers is known, and with it the exact $\delta$ at every $\varepsilon$.

# %%
curves = dprepro.run("privacy_curves")
verdict(curves)
curves

# %%
practice(
    f"for Gaussian noise the accountant is exact (at least {check(curves, 'attained'):.3f} of its delta is spent). For",
    "Laplace noise it allows for the worst mechanism of that epsilon, randomised response; the noise itself spends",
    f"down to {check(curves, 'laplace_attains'):.2f} of that delta.",
)
