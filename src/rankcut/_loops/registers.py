"""Rows of numbers that a loop keeps in a processor's registers.

To a loop, a row is a tuple of vectors, of a length that is known when the loop is compiled: as long
as the tuple ``like``. In plain Python, a row is an array. Arrays have contiguous rows of float64.
"""

from functools import cache
from typing import Any

from rankcut._loops.compilation import Instruction

# Numbers in a vector. Processors with shorter ones take several registers for each.
VECTOR = 8


def _load_row(numbers: Any, like: Any) -> Any:
    return numbers[: VECTOR * len(like)].copy()


def _define_load_row(typing_context: Any, numbers: Any, like: Any) -> Any:
    from numba.types import UniTuple

    if not _holds_rows(numbers):
        return None
    row = UniTuple(_vector_type(), len(like))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(numbers)(context, builder, arguments[0])
        vectors = [builder.load(at, align=8) for at in _places(builder, source.data, row.count)]
        return context.make_tuple(builder, row, vectors)

    return row(numbers, like), generate


def _store_row(row: Any, numbers: Any) -> None:
    numbers[: len(row)] = row


def _define_store_row(typing_context: Any, row: Any, numbers: Any) -> Any:
    from numba.core import cgutils, types

    if not _holds_rows(numbers):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = context.make_array(numbers)(context, builder, arguments[1])
        vectors = cgutils.unpack_tuple(builder, arguments[0])
        for at, vector in zip(_places(builder, target.data, row.count), vectors, strict=True):
            builder.store(vector, at, align=8)
        return context.get_dummy_value()

    return types.none(row, numbers), generate


def _subtract_rows(row: Any, table: Any, a: int, b: int) -> Any:
    return (row - table[a]) - table[b]


def _define_subtract_rows(typing_context: Any, row: Any, table: Any, a: Any, b: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils

    if not _holds_rows(table):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows = context.make_array(table)(context, builder, arguments[1])
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        vectors = cgutils.unpack_tuple(builder, arguments[0])
        for item in arguments[2:]:
            start = builder.gep(rows.data, [builder.mul(builder.zext(item, ir.IntType(64)), width)])
            vectors = [
                builder.fsub(vector, builder.load(at, align=8))
                for at, vector in zip(_places(builder, start, row.count), vectors, strict=True)
            ]
        return context.make_tuple(builder, row, vectors)

    return row(row, table, a, b), generate


def _holds_rows(array: Any) -> bool:
    from numba.core import types

    return bool(array.dtype == types.float64 and array.layout == "C")


@cache
def _vector_type() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.core.datamodel import models, register_default

    class Vector(types.Type):
        pass

    @register_default(Vector)
    class VectorModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), VECTOR))

    return Vector(name=f"vector of {VECTOR}")


def _places(builder: Any, start: Any, count: int) -> list[Any]:
    """Where the vectors of a row are in memory."""
    from llvmlite import ir

    vectors = builder.bitcast(start, ir.VectorType(ir.DoubleType(), VECTOR).as_pointer())
    return [builder.gep(vectors, [ir.IntType(64)(k)]) for k in range(count)]


# ``load_row(numbers, like)`` and ``store_row(row, numbers)`` copy from and to an array.
load_row = Instruction(_load_row, _define_load_row)
store_row = Instruction(_store_row, _define_store_row)

# ``subtract_rows(row, table, a, b)`` is the row less two of a table, one after the other.
subtract_rows = Instruction(_subtract_rows, _define_subtract_rows)
