import { expectFloats, matrix, type Kernels, type RotaryTables, type Tensor } from "@laconic/kernels";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const cat = operator("aten::cat");
const neg = operator("aten::neg");
const roll = operator("aten::roll");
const multiply = operator("aten::mul", "Tensor");
const indexSelect = operator("aten::index_select");

/** out = x cos + swapped(x) (-sin, sin), where swapped exchanges the halves of a head. */
export function rotaryKernels(device: TorchDevice): Pick<Kernels, "rotary"> {
  const { torch, store } = device;
  /** [positions, headDim]: both halves of a head. */
  const wholeHead = ({ cos, sin }: RotaryTables, which: "cos" | "forward" | "inverse"): Handle =>
    store.derive(store.get(which === "cos" ? cos : sin), `whole head, ${which}`, () => {
      const half = device.handle(which === "cos" ? cos : sin);
      const halves =
        which === "cos"
          ? [half, half]
          : which === "forward"
            ? [torch.call(neg, half), half]
            : [half, torch.call(neg, half)];
      return torch.call(cat, { tensors: halves }, { int: 1 });
    });
  /** The tables' rows at the positions, [N, 1, headDim]; all layers of a pass share them. */
  const rowsAt = (tables: RotaryTables, positions: Tensor, which: "cos" | "forward" | "inverse"): Handle => {
    const table = wholeHead(tables, which);
    const [count, headDim] = [positions.shape[0] as number, 2 * (tables.cos.shape[1] as number)];
    const at = device.indices(positions);
    return store.derive(store.get(positions), `rotary ${table}`, () =>
      torch.view(torch.call(indexSelect, table, { int: 0 }, at), [count, 1, headDim]),
    );
  };
  return {
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width] = matrix(x, "rotary: x");
      const [count, half] = matrix(tables.cos, "rotary: cos");
      expectFloats(x, [rows, 2 * heads * half], "rotary: x");
      expectFloats(tables.sin, tables.cos.shape, "rotary: sin");
      device.expectIndices(positions, rows, count, "rotary: positions");
      const { handle: input, stride } = device.rows(x);
      const cos = rowsAt(tables, positions, "cos");
      const sin = rowsAt(tables, positions, inverse ? "inverse" : "forward");
      return device.make([rows, width], () => {
        const perHead = torch.view(input, [rows, heads, 2 * half], [stride, 2 * half, 1]);
        const swapped = torch.call(roll, perHead, { ints: [half] }, { ints: [2] });
        const rotated = torch.add(torch.call(multiply, perHead, cos), torch.call(multiply, swapped, sin));
        return torch.view(rotated, [rows, width]);
      });
    },
  };
}
