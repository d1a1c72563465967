import { joinedSize, matrixSize, type KernelFamily, type Tensor } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import type { GpuArray } from "./gpu-array.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import type { WgslProgram } from "./wgsl/program.ts";

/** Each tensor has separate memory. */
export function pieceKernels(device: GpuDevice): KernelFamily<"pieces"> {
  const { store } = device;
  const joinColumns = (parts: readonly Tensor[]): Tensor => {
    const [first, rest] = [parts.slice(0, maxJoined), parts.slice(maxJoined)];
    const joined = device.make(joinedSize(first), () => joinColumnsProgram(first.map((part) => device.data(part))));
    if (rest.length === 0) return joined;
    const whole = joinColumns([joined, ...rest]);
    store.free(joined);
    return whole;
  };
  return {
    together: (shapes) => shapes.map((shape) => device.zeros(shape)),
    assign(into, from) {
      const copies = from.map((tensor) => device.data(tensor).view());
      into.forEach((tensor, i) => store.replace(tensor, copies[i]!));
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      return device.make([rows, count], () => columnsProgram(device.data(x), start, count));
    },
    joinColumns,
  };
}

/** x [N, W] -> [N, count]. */
function columnsProgram(x: GpuArray, start: number, count: number): WgslProgram {
  const [rows, width] = x.shape as [number, number];
  const body = "result[i] = x[i / uniforms.count * uniforms.width + uniforms.start + i % uniforms.count];";
  return elementwiseProgram("columns", { x }, rows * count, body, { integers: { width, start, count } });
}

/** Adapters bind at least 8 buffers, including the result. */
const maxJoined = 7;

/** [N, W1], [N, W2], ... -> [N, W1 + W2 + ...]. */
function joinColumnsProgram(parts: readonly GpuArray[]): WgslProgram {
  const rows = parts[0]?.shape[0] as number;
  const ends: Record<string, number> = {};
  let whole = 0;
  for (const [n, { shape }] of parts.entries()) ends[`end${n}`] = whole += shape[1]!;
  const choices = parts.map((_, n) => {
    const start = n === 0 ? "0" : `uniforms.end${n - 1}`;
    return `if (column < uniforms.end${n}) { result[i] = part${n}[row * (uniforms.end${n} - ${start}) + column - ${start}]; }`;
  });
  return elementwiseProgram(
    `join-columns ${parts.length}`,
    Object.fromEntries(parts.map((part, n) => [`part${n}`, part])),
    rows * whole,
    `let row = i / uniforms.whole; let column = i % uniforms.whole; ${choices.join(" else ")}`,
    { integers: { whole, ...ends } },
  );
}
