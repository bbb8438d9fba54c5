"""The noise that torch draws, noted; imported only where torch is in use already.

Normal noise (`randn`, `normal`, `normal_`) and that of `distributions.Normal` and `Laplace` is followed through
additions, multiplications by numbers, and views; all other draws are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.auditing.forms import Form, combined, noisy

if TYPE_CHECKING:
    from dprepro.auditing.recording import Recorder

ROUGH = 1e-4
"""Relative difference up to which numbers of single precision are one."""

HIDDEN = frozenset({
    "rand", "rand_like", "randint", "randint_like", "randperm", "bernoulli", "bernoulli_", "multinomial", "poisson",
    "uniform_", "exponential_", "geometric_", "cauchy_", "log_normal_", "random_", "dropout", "binomial", "randn_like",
    "_standard_gamma", "_sample_dirichlet",
})  # fmt: skip
ARITHMETIC = {
    "add": "add", "__add__": "add", "__radd__": "add", "add_": "add", "__iadd__": "add", "sub": "subtract",
    "__sub__": "subtract", "sub_": "subtract", "__isub__": "subtract", "subtract": "subtract", "mul": "multiply",
    "__mul__": "multiply", "__rmul__": "multiply", "mul_": "multiply", "__imul__": "multiply", "multiply": "multiply",
    "div": "divide", "__truediv__": "divide", "div_": "divide", "__itruediv__": "divide", "true_divide": "divide",
    "__rsub__": "reversed", "rsub": "reversed",
}  # fmt: skip
VIEWS = frozenset({
    "__getitem__", "reshape", "view", "flatten", "ravel", "squeeze", "unsqueeze", "transpose", "t", "permute", "expand",
})  # fmt: skip
SAME = frozenset({"clone", "detach", "to", "cpu", "float", "double", "contiguous", "requires_grad_", "type"})


@contextmanager
def noting(recorder: Recorder, seed: int) -> Iterator[None]:
    """Note what torch draws inside; its own generator is seeded, and afterwards as it was."""
    import torch
    from torch.overrides import TorchFunctionMode

    known: dict[int, tuple[Any, Form]] = {}  # tensors are held, so that none has the number of another

    def values_of(tensor: Any) -> Any:
        return np.array(tensor.detach().cpu().double().numpy())

    def remember(tensor: Any, form: Form) -> Any:
        recorder.ledger.enter(values_of(tensor), form)
        known[id(tensor)] = tensor, form
        return tensor

    def form_of(tensor: Any) -> Form | None:
        held = known.get(id(tensor)) if isinstance(tensor, torch.Tensor) else None
        return held[1] if held and recorder.ledger.holds(values_of(tensor), held[1], ROUGH) else None

    def drawn(law: str, tensor: Any, loc: Any, scale: Any, whole: bool = True) -> Any:
        """``tensor``, of which the noise is loc + scale * noise, or the noise alone."""
        loc, scale = (values_of(item) if isinstance(item, torch.Tensor) else item for item in (loc, scale))
        found = values_of(tensor)
        with np.errstate(divide="ignore", invalid="ignore"):
            noise = np.where(np.asarray(scale) != 0, (found - loc) / scale, 0.0) if whole else found
        values, form = recorder.noise(law, noise, loc, scale, rough=tensor.dtype != torch.float64)
        with torch.no_grad():
            tensor.copy_(torch.as_tensor(values.reshape(tuple(tensor.shape))))
        return remember(tensor, form)

    class Notes(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name, given = getattr(func, "__name__", ""), dict(kwargs or {})
            recorder.hidden += name in HIDDEN
            if name in ("randn", "normal", "normal_"):
                found = func(*args, **given)
                start = 1 if name == "normal_" else 0
                loc = given.get("mean", args[start] if len(args) > start and name != "randn" else 0.0)
                scale = given.get("std", args[start + 1] if len(args) > start + 1 and name != "randn" else 1.0)
                return drawn("normal", found, loc, scale)
            if name in ARITHMETIC and set(given) <= {"input", "other"} and len(args) == 2:
                return arithmetic(ARITHMETIC[name], func, args)
            form = form_of(args[0]) if args else None
            found = func(*args, **given)
            if form is None:
                return found
            if name == "neg":
                return remember(found, Form(form.tags, -form.offsets, -form.factors))
            if name in SAME:
                return remember(found, form)
            if name in VIEWS:
                parts = [
                    func(torch.as_tensor(np.array(part)), *args[1:], **given).numpy()
                    for part in (form.tags, form.offsets, form.factors)
                ]
                return remember(found, Form(*parts))
            return noisy(recorder.ledger, found.astype(np.float64), form) if name == "numpy" else found

    def arithmetic(name: str, func: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        order = args[::-1] if name == "reversed" else args
        forms = [form_of(item) for item in order]
        form = None
        if any(forms):
            sides = [
                (values, part) if part is not None else values
                for part, values in zip(
                    forms, [values_of(item) if isinstance(item, torch.Tensor) else item for item in order], strict=True
                )
            ]
            form = combined("subtract" if name == "reversed" else name, *sides)
        found = func(*args)
        return found if form is None else remember(found, form)

    laplace = torch.distributions.Laplace
    own = laplace.rsample

    def rsample(self: Any, sample_shape: Any = ()) -> Any:
        hidden = recorder.hidden
        plain = own(laplace(torch.zeros_like(self.loc), torch.ones_like(self.scale)), torch.Size(sample_shape))
        recorder.hidden = hidden  # the uniform number that it was made of
        return drawn("laplace", plain, self.loc, self.scale, whole=False)

    state = torch.get_rng_state()
    torch.manual_seed(seed)
    laplace.rsample = rsample
    try:
        with Notes():
            yield
    finally:
        laplace.rsample = own
        torch.set_rng_state(state)
