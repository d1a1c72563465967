"""Replays the kernels' libtorch calls on fake tensors on cuda:0. Checks shapes, types and storage without computing and
without a GPU. Reads {symbols, operators, runs} as JSON from stdin; writes problems and what was checked."""

import ctypes
import json
import logging
import os
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

# The script reports refusals.
logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)

TYPES = {3: torch.int32, 4: torch.int64, 6: torch.float32, 7: torch.float64, 11: torch.bool, 15: torch.bfloat16}
NAMED = {"float32": torch.float32, "bfloat16": torch.bfloat16, "int32": torch.int32}
BUILT_FOR_CUDA = torch.version.cuda is not None
UNCHECKED = set()
COMPOSITE = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")


def overload_of(name):
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload or "default")


def check_operator(operator):
    """Problem of an operator's name or results, and its GPU kernel."""
    try:
        schema = overload_of(operator["name"])._schema
    except AttributeError:
        return ["no such operator"], None
    wrong = []
    if len(schema.returns) != operator["results"]:
        wrong.append(f"returns {len(schema.returns)} results, {operator['results']} are taken")
    # C functions may lack arguments that the dispatcher requires.
    if not operator.get("asFunction") and any("Scalar" in str(argument.type) for argument in schema.arguments):
        wrong.append("takes a Scalar, which the stable interface cannot pass")
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    kernel = next((key for key in ("CUDA", *COMPOSITE) if has(operator["name"], key)), None)
    if BUILT_FOR_CUDA and kernel is None and not operator["forCpu"]:
        wrong.append("has no kernel for CUDA")
    return wrong, kernel


# C argument types by schema type.
TAKEN = {
    "tensor": ("Tensor",),
    "int": ("int", "SymInt"),
    "float": ("float",),
    "bool": ("bool",),
    "ints": ("List[int]", "List[SymInt]"),
    "tensors": ("List[Tensor]",),
    "text": ("str",),
    "empty": ("List[Optional[number]]", "List[Optional[Scalar]]"),
    "tensor?": ("Optional[Tensor]",),
    "float?": ("Optional[float]",),
    "int?": ("Optional[int]", "Optional[SymInt]"),
    "type?": ("Optional[int]", "Optional[ScalarType]"),
}


def check_shim(shim):
    """Problem of a C function that replaces an operator: its arguments in schema order."""
    try:
        schema = overload_of(shim["operator"])._schema
    except AttributeError:
        return ["has no operator"]
    wrong = []
    given = [argument for argument in schema.arguments][: len(shim["takes"])]
    for kind, argument in zip(shim["takes"], given):
        if kind == "none":
            if argument.default_value is not None:
                wrong.append(f"leaves {argument.name} out, which has a default")
        elif str(argument.type) not in TAKEN[kind]:
            wrong.append(f"takes {kind} for {argument.name}, which is {argument.type}")
    if len(schema.returns) != shim["results"]:
        wrong.append(f"returns {shim['results']}, the operator {len(schema.returns)}")
    return wrong


def argument_of(value, type_, tensors, mode):
    """Python argument from its recorded form; raises an error for a wrong kind."""
    text = str(type_)
    optional = text.startswith("Optional[")
    if optional:
        text = text[len("Optional[") : -1]
    if value is None:
        # Zero slots: an absent optional, or the default of a number.
        if not optional:
            raise TypeError(f"nothing is given for {text}")
        return None
    if isinstance(value, dict) and "some" in value:
        if not optional:
            raise TypeError(f"an optional is given for {text}")
        value = value["some"]
    elif optional:
        raise TypeError(f"a plain value is given for an optional {text}")
    if isinstance(value, (int, float)):
        expect(text == "Tensor", "a tensor", text)
        return tensors[value]
    ((kind, inner),) = value.items()
    allowed = {
        "int": ("int", "SymInt"),
        "float": ("float",),
        "bool": ("bool",),
        "type": ("int", "ScalarType"),
        "ints": ("List[int]", "List[SymInt]"),
        "bools": ("List[bool]",),
        "tensors": ("List[Tensor]",),
    }[kind]
    # Memory formats are passed as numbers.
    expect(text in allowed or (kind == "int" and text == "MemoryFormat"), kind, text)
    if kind == "type":
        return TYPES[inner]
    if kind == "tensors":
        return [tensors[handle] for handle in inner]
    if text == "MemoryFormat":
        return [torch.contiguous_format, torch.preserve_format][inner]
    return inner


def expect(condition, given, wanted):
    if not condition:
        raise TypeError(f"{given} is given for {wanted}")


def call(event, tensors, mode):
    _, name, arguments, results = event
    overload = overload_of(name)
    schema = overload._schema
    used = arguments
    # Newer versions append optional arguments; older ones do not read these slots.
    while len(used) > len(schema.arguments) and used[-1] is None:
        used = used[:-1]
    if len(used) != len(schema.arguments):
        raise TypeError(f"{len(arguments)} arguments are given, {len(schema.arguments)} are read")
    positional, keywords = [], {}
    for argument, value in zip(schema.arguments, used):
        given = argument_of(value, argument.type, tensors, mode)
        if argument.kwarg_only:
            keywords[argument.name] = given
        else:
            positional.append(given)
    try:
        made = overload(*positional, **keywords)
    except RuntimeError as error:
        # CPU builds cannot write to some results on cuda:0, not even fake ones.
        if BUILT_FOR_CUDA or "not linked with support for cuda" not in str(error):
            raise
        UNCHECKED.add(name)
        values = [*positional, *keywords.values()]
        made = [given for argument, given in zip(schema.arguments, values) if argument.is_write]
    made = [] if made is None else list(made) if isinstance(made, (tuple, list)) else [made]
    if len(made) != len(results):
        raise TypeError(f"{len(made)} results, {len(results)} are taken")
    tensors.update(zip(results, made))


def storage_elements(tensor):
    return tensor.untyped_storage().nbytes() // tensor.element_size()


def view(event, tensors):
    _, result, of, shape, strides, offset = event
    base = tensors[of]
    reach = offset + 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    held = storage_elements(base) - base.storage_offset()
    if all(size > 0 for size in shape) and reach > held:
        raise IndexError(f"a view of {shape} by {strides} from {offset} reaches element {reach} of {held}")
    tensors[result] = base.as_strided(shape, strides, base.storage_offset() + offset)


def shim(event, tensors):
    _, name, result, *arguments = event
    at = [tensors.get(argument) if isinstance(argument, int) else argument for argument in arguments]
    aten = torch.ops.aten
    if name == "add":
        made = aten.add.Tensor(at[0], at[1], alpha=arguments[2])
    elif name == "subtract":
        made = aten.sub.Tensor(at[0], at[1], alpha=arguments[2])
    elif name == "multiplyByNumber":
        made = aten.mul.Scalar(at[0], arguments[1])
    elif name == "fill":
        made = aten.fill_.Scalar(at[0], float(arguments[1]))
    elif name == "mmOut":
        made = aten.mm(at[1], at[2])
        expect_like(at[0], made)
    elif name == "bmmOut":
        made = aten.bmm(at[1], at[2])
        expect_like(at[0], made)
    elif name == "baddbmmOut":
        made = aten.baddbmm(at[1], at[2], at[3], beta=arguments[4], alpha=arguments[5])
        expect_like(at[0], made)
    elif name == "scatterOut":
        made = aten.scatter.src(at[1], arguments[2], at[3], at[4])
        expect_like(at[0], made)
    elif name == "addmmOut":
        made = aten.addmm(at[1], at[2], at[3], beta=arguments[4], alpha=arguments[5])
        expect_like(at[0], made)
    elif name == "scatterOut":
        made = aten.scatter.src(at[1], arguments[2], at[3], at[4])
        expect_like(at[0], made)
    else:
        raise KeyError(f"this script does not know the function {name}")
    if result is not None:
        tensors[result] = made


def expect_like(given, made):
    if given.shape != made.shape or given.dtype != made.dtype or given.device != made.device:
        raise TypeError(f"a result of {describe(made)} is written to {describe(given)}")


def describe(tensor):
    return f"{list(tensor.shape)} {tensor.dtype} {tensor.device}"


def claim(event, tensors):
    _, handle, shape, dtype, stride = event
    tensor = tensors[handle]
    lies = tensor.is_contiguous() if stride is None else tensor.stride() == (stride, 1)
    if list(tensor.shape) != shape or tensor.dtype != NAMED[dtype] or not (0 in shape or lies):
        how = "contiguous" if stride is None else f"by ({stride}, 1)"
        raise TypeError(f"taken for {how} {shape} {dtype}, it is {describe(tensor)} by {tensor.stride()}")
    if tensor.device != torch.device("cuda:0"):
        raise TypeError(f"{describe(tensor)} is not on the GPU")


def crossing(event, tensors):
    kind, handle, count = event
    tensor = tensors[handle]
    if tensor.device.type != "cpu":
        raise TypeError(f"the host would {kind} {describe(tensor)} directly")
    if count > tensor.numel() * tensor.element_size():
        raise IndexError(f"{count} bytes {kind} of {describe(tensor)}")


def copy(event, tensors):
    into, source = tensors[event[1]], tensors[event[2]]
    if torch.broadcast_shapes(into.shape, source.shape) != into.shape:
        raise TypeError(f"{describe(source)} is copied into {describe(into)}")


def replay(run):
    tensors, wrong, calls = {}, [], {}
    with FakeTensorMode() as mode:
        for place, event in enumerate(run["events"]):
            kind = event[0]
            try:
                if kind == "empty":
                    _, result, shape, strides, dtype, device = event
                    tensors[result] = torch.empty_strided(shape, strides, dtype=TYPES[dtype], device=device)
                elif kind == "view":
                    view(event, tensors)
                elif kind == "call":
                    calls[event[1]] = calls.get(event[1], 0) + 1
                    call(event, tensors, mode)
                elif kind == "shim":
                    calls[event[1]] = calls.get(event[1], 0) + 1
                    shim(event, tensors)
                elif kind == "claim":
                    claim(event, tensors)
                elif kind == "copy":
                    copy(event, tensors)
                elif kind == "delete":
                    tensors.pop(event[1], None)
                else:
                    crossing(event, tensors)
            except Exception as error:  # noqa: BLE001 - whatever PyTorch says is the finding
                said = (str(error).splitlines() or [""])[0]
                wrong.append(f"{run['name']}, event {place}, {' '.join(map(str, event[:2]))}: {type(error).__name__}: {said}")
                if len(wrong) == 20:
                    break
    return wrong, calls


def missing_symbols(symbols):
    """Names that the loaded, uninitialised libraries of this PyTorch do not export."""
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    names = ["libtorch_cpu.so"] + (["libtorch_cuda.so"] if BUILT_FOR_CUDA else [])
    libraries = [ctypes.CDLL(os.path.join(folder, name)) for name in names]
    device = "cuda" if BUILT_FOR_CUDA else "cpu"
    wanted = [symbol.replace("{device}", device) for symbol in symbols]
    return [symbol for symbol in wanted if not any(hasattr(library, symbol) for library in libraries)]


def main():
    given = json.load(sys.stdin)
    wrong, operators, reached = [], [], {}
    for operator in given["operators"]:
        problems, kernel = check_operator(operator)
        wrong += [f"{operator['name']} {problem}" for problem in problems]
        operators.append({"name": operator["name"], "kernel": kernel})
    for shim in given["shims"]:
        wrong += [f"{shim['symbol']} {problem}" for problem in check_shim(shim)]
    missing = {kind: missing_symbols(symbols) for kind, symbols in given["symbols"].items()}
    wrong += [f"no symbol {symbol}" for symbol in missing["required"]]
    for run in given["runs"]:
        problems, calls = replay(run)
        wrong += problems
        for name, count in calls.items():
            reached[name] = reached.get(name, 0) + count
    answer = {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "gpu": torch.cuda.is_available(),
        "wrong": wrong,
        "operators": operators,
        "missingOptional": missing["optional"] + missing_symbols([shim["symbol"] for shim in given["shims"]]),
        "unchecked": sorted(UNCHECKED),
        "calls": reached,
        "events": sum(len(run["events"]) for run in given["runs"]),
    }
    json.dump(answer, sys.stdout)


main()
