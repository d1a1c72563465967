import type { GpuArray } from "../gpu-array.ts";
import { elementwiseProgram } from "./elementwise.ts";
import { int, type WgslProgram } from "./program.ts";

/** `count` columns of x [N, W] from `start` on, [N, count]. */
export function columnsProgram(x: GpuArray, start: number, count: number): WgslProgram {
  const [rows, width] = x.shape as [number, number];
  const body = "result[i] = x[i / uniforms.count * uniforms.width + uniforms.start + i % uniforms.count];";
  const program = elementwiseProgram("columns", { x }, rows * count, body);
  return {
    ...program,
    uniforms: { ...program.uniforms, width: int(width), start: int(start), count: int(count) },
  };
}

/** Matrices that one program joins: every adapter binds 8 buffers, one of them the result. */
export const maxJoined = 7;

/** Matrices [N, W1], [N, W2], ... side by side, [N, W1 + W2 + ...]. */
export function joinColumnsProgram(parts: readonly GpuArray[]): WgslProgram {
  const rows = parts[0]?.shape[0] as number;
  const ends: Record<string, ReturnType<typeof int>> = {};
  let whole = 0;
  for (const [n, { shape }] of parts.entries()) ends[`end${n}`] = int((whole += shape[1] as number));
  const choices = parts.map((_, n) => {
    const start = n === 0 ? "0" : `uniforms.end${n - 1}`;
    return `if (column < uniforms.end${n}) { result[i] = part${n}[row * (uniforms.end${n} - ${start}) + column - ${start}]; }`;
  });
  const program = elementwiseProgram(
    `join-columns ${parts.length}`,
    Object.fromEntries(parts.map((part, n) => [`part${n}`, part])),
    rows * whole,
    `let row = i / uniforms.whole; let column = i % uniforms.whole; ${choices.join(" else ")}`,
  );
  return { ...program, uniforms: { ...program.uniforms, whole: int(whole), ...ends } };
}
