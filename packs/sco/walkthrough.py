#!/usr/bin/env python
"""How many records until privacy is free? The pack's statements, with what was measured."""

# %% [markdown]
# # Phases
#
# n records, convex losses with gradients of at most L, a ball of radius D, the budget's Gaussian parameter mu. Phase
# i has T_i = n/2^i records and the step eta_i = eta/4^i; it starts at the noisy answer of the last phase, and adds
# noise of L eta_i/mu (ERM) or 2 L eta_i/mu (SGD). Each record is in one phase, so that nothing composes.

# %%
from dprepro_sco.bounds import erm, gaussian_parameter, sgd

import dprepro

# %% [markdown]
# ## What one record moves
#
# A minimum moves by L eta, whatever the losses; a pass by 2 L eta where they are smooth. Linear losses attain both.
# Where losses have kinks a pass moves by sqrt(T/3) times as much: phased SGD refuses them, and its control shows why.

# %%
proofs = dprepro.run("sco_proofs")
print(proofs)

# %% [markdown]
# ## Phased ERM: two terms, and where they cross
#
# LD (3.266/sqrt n + 16 sqrt d/(mu n)). In a million dimensions the risk falls as 1/n up to 4e8 records, then as
# 1/sqrt n, at .21 to .24 of the bound all the way. A single phase, the control, falls as 1/sqrt n from the start: at
# 1e9 records it is 50 times worse.

# %%
phased = dprepro.run("sco_erm")
print(phased)

# %% [markdown]
# ## Phased SGD: the same with n gradients
#
# One pass over the records. Its statistical term is half as large, its private one the same.

# %%
passes = dprepro.run("sco_sgd")
print(passes)

# %% [markdown]
# ## Is there a counterexample?
#
# Attacks over the whole premise of every statement: two records (where the bound of SGD is nearly attained), one
# below a power of two, budgets from .01 to 1000, coins and axes.

# %%
print(dprepro.run("attacks_sco"))

# %% [markdown]
# ## What a practitioner takes from it
#
# Records from which on privacy costs less than sampling does, and the bounds at a million records (L = D = 1):

# %%
for epsilon in (0.1, 1.0, 10.0):
    mu = gaussian_parameter(epsilon, 1e-6)
    for d in (10, 1000, 100_000):
        bounds = [bound(1e6, d, epsilon, 1e-6, 1.0, 1.0) for bound in (erm, sgd)]
        free = f"epsilon = {epsilon:g}, d = {d}: free from n = {24 * d / mu**2:.1e}"
        print(f"{free}; ERM {bounds[0]:.1e}, SGD {bounds[1]:.1e}")
