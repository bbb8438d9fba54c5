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
# # A table of your own: from schema to choice
#
# Two tables that ship with statsmodels stand for a person's own: outpatient visits in the RAND Health Insurance
# Experiment (20,190 person-years), and whether there were affairs, by a magazine's questionnaire of 1974 (6,366
# answers). The question is the user's: *is a private answer good enough, by which algorithm, from which epsilon on?*
#
# Run it as `python experiments/table.py`, or open it as a notebook with jupytext (needs the extra `data`). Measurements
# are kept in `./results`. The first time takes about two minutes.

# %%
from walkthrough import means, practice, verdict

import dprepro
from dprepro.practice.draft import draft
from dprepro.practice.shipped import Shipped

# %% [markdown]
# ## The public schema
#
# Privacy noise is scaled to how much one record can change an answer, so something about every column must be known
# before the data are seen. A draft is made from names and types alone; every `FILL IN` is yours. What was filled in for
# these two tables stands in `conf/construction/fair.yaml` and `rand_health.yaml`: the questionnaire's scales, the codes
# of an occupation, a cap of 20 visits. A range read off the data would leak what the noise is to hide.

# %%
fair = Shipped(name="fair", target="affairs", bounds={"affairs": (0, 60), "age": (16, 66)}).read()
print(draft(dict.fromkeys(fair.names), "fair.csv", "affairs"))

# %% [markdown]
# ## Regression: how many visits?
#
# Every private algorithm that fits, beside the private mean, answering zero and the exact optimum, on eight splits
# with a quarter held out. The error is the root mean square in visits a year. The target is half of what the mean
# leaves over the optimum.

# %%
visits = dprepro.run("table_regression")
verdict(visits)
visits


# %%
def errors(outcome, series, quantity):
    """Mean hold-out errors by epsilon; splits are averaged over."""
    return dict(means(outcome, series, "epsilon", quantity))


rmse = {name: errors(visits, name, "holdout_rmse") for name in ("statistics", "private_mean", "optimum", "output_zero")}
for epsilon in rmse["statistics"]:
    print(f"epsilon = {epsilon:<5g}", *(f"{name} {values[epsilon]:.3f}" for name, values in rmse.items()))
places = visits.verdict["checks"]["good_enough"]["details"]["places"]
worse = [epsilon for epsilon, value in rmse["statistics"].items() if value > rmse["private_mean"][epsilon]]
never = [name for name, place in places.items() if place[2] is None]
practice(
    f"without privacy the columns explain little: {rmse['private_mean'][1]:.2f} becomes {rmse['optimum'][1]:.2f}.",
    f"Up to epsilon = {max(worse):g} the private mean is better than the best private regression, and",
    f"{len(never)} of {len(places)} algorithms are not good enough at any epsilon here.",
    "Take noisy sufficient statistics, or the mean.",
)

# %% [markdown]
# ## Classification: were there affairs?
#
# A threshold in the schema (`above: 0`) makes two classes of a number. Error rates are those of records held out.

# %%
affairs = dprepro.run("table_classification")
verdict(affairs)
affairs

# %%
rates = {name: errors(affairs, name, "error_rate") for name in ("objective", "private_majority", "optimum")}
for epsilon in rates["objective"]:
    print(f"epsilon = {epsilon:<5g}", *(f"{name} {values[epsilon]:.3f}" for name, values in rates.items()))
practice(
    f"the majority class errs in {100 * rates['private_majority'][1]:.0f}% of the records, the optimum without privacy",
    f"in {100 * rates['optimum'][1]:.0f}%, objective perturbation at epsilon = 1 in",
    f"{100 * rates['objective'][1]:.0f}%.",
)

# %% [markdown]
# ## Is the advice good?
#
# The advisor is told n, p, the budget and the loss, and predicts risks without running anything. Its predictions are
# held against measurements, half of which no fit has seen; the algorithm that it names is held against the best of
# eleven, on ordinary data and on tables that it has never seen, beside its ranking reversed and a choice at random,
# which must fail.

# %%
advised = dprepro.run("advice")
verdict(advised)
advised

# %%
errors = advised.verdict["checks"]["half_within_10"]["details"]
of_all = advised.verdict["checks"]["everywhere_within_2"]["details"]
practice(
    f"half of the {errors['cases']} predictions are within {100 * errors['median']:.2g}% of what is measured, nine of",
    f"ten within {100 * errors['quantile_90']:.2g}%;",
    f"in {of_all['cases']} cases the advised algorithm loses {of_all['median']:.2g} times what the best one does in",
    f"the median, and at most {of_all['quantile_90']:.2g} times as much in nine of ten.",
)

# %% [markdown]
# ## What to remember
#
# * Compare with the private mean, never with answering zero: it costs nothing and beats most algorithms on small n.
# * Bounds of the papers are far above what happens on a table; they decide nothing here, measurements do.
# * Before there are data, `python -m dprepro advise n=... p=... epsilon=...` ranks the algorithms by public numbers.
