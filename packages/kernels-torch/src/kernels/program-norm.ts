import { matrixSize, type Kernels, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { byWidth } from "./program-pointwise.ts";

const threads = 256;

/** Blocks that share the rows of a backward pass: as many parts of the weight's gradient are added up, on every card alike. */
const maxBlocks = 256;

const { float32 } = scalarType;

/** On CUDA in bfloat16: norms together with the sums before and behind them. */
export function normPrograms(device: TorchDevice): Required<Pick<Kernels, "addNorm" | "normBackwardOnto">> {
  const { torch, store } = device;
  const at = (handle: Handle): number => torch.address(handle);

  return {
    addNorm(a, b, weight, epsilon) {
      const [rows, width] = matrixSize(a);
      const inputs = [a, b, weight].map((each) => device.handle(each));
      const [sum, out, invRms] = torch.run<readonly [Handle, Handle, Handle]>(() => {
        const made = [
          torch.empty([rows, width], device.working),
          torch.empty([rows, width], device.working),
          torch.empty([rows], float32),
        ] as const;
        const places = [...made, ...inputs].map(at);
        if (rows > 0)
          torch.launch(byWidth("add_norm", width, places), rows, threads, [...places, width, { float: epsilon }]);
        return made;
      });
      return {
        sum: store.adoptFloats(sum, [rows, width]),
        out: store.adoptFloats(out, [rows, width]),
        invRms: store.adoptFloats(invRms, [rows], "full"),
      };
    },
    normBackwardOnto(onto, { dOut, x, weight, invRms }, needs, { dWeight: place } = {}) {
      const [rows, width] = matrixSize(x);
      const target = needs.weight && place ? store.get(place.tensor) : null;
      const given = [dOut, x, weight, invRms].map((each) => device.handle(each));
      const under = onto === null ? null : device.handle(onto);
      const [dX, dWeight] = torch.run<readonly Handle[]>(() => {
        const made = torch.empty([rows, width], device.working);
        const blocks = Math.min(rows, maxBlocks);
        const parts = needs.weight ? torch.empty([blocks, width], float32) : null;
        const [to, room, ...from] = [made, parts, ...given, under].map((each) => (each === null ? 0 : at(each)));
        const places = [to, room, ...from] as readonly number[];
        if (rows > 0) torch.launch(byWidth("norm_backward", width, places), blocks, threads, [...places, rows, width]);
        if (parts === null) return [made];
        const sum = target?.handle ?? torch.empty([width], float32);
        const add = place?.add === true ? 1 : 0;
        torch.launch("sum_parts", Math.ceil(width / 32), threads, [at(sum), room as number, blocks, width, add]);
        return target ? [made] : [made, sum];
      }) as [Handle, Handle?];
      if (target) store.changed(target);
      const own: Tensor | null = dWeight === undefined ? null : store.adoptFloats(dWeight, [width], "full");
      return { dX: store.adoptFloats(dX, [rows, width]), ...(own && { dWeight: own }) };
    },
  };
}
