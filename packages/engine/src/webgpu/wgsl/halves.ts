import type { GpuArray } from "../gpu-array.ts";
import { elementwiseProgram } from "./elementwise.ts";
import type { WgslProgram } from "./program.ts";

/** Numbers of half precision lie two by two in 32 bits, by functions that WGSL has on every adapter: `shader-f16` is not asked for. */
export const halvesSource = `
fn fourHalves(bits : vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}`;

/** WGSL: the number at `place` of a buffer of halves as float32, or the four from there on, with {@link halvesSource}. */
export function readHalves(name: string, place: string, vector: boolean): string {
  return vector ? `fourHalves(${name}[(${place}) / 4])` : `unpack2x16float(${name}[(${place}) / 2])[(${place}) % 2]`;
}

/** WGSL: two float32 numbers as halves; beyond the largest half, that. */
export function packHalves(pair: string): string {
  return `bitcast<i32>(pack2x16float(clamp(${pair}, vec2<f32>(-65504.0), vec2<f32>(65504.0))))`;
}

/** Rounds float32 numbers to halves, `result` int32 [ceil(size / 2)]. */
export function narrowProgram(x: GpuArray): WgslProgram {
  const body = `
      var second = 0.0;
      if (2 * i + 1 < uniforms.numbers) { second = x[2 * i + 1]; }
      result[i] = ${packHalves("vec2<f32>(x[2 * i], second)")};`;
  const program = elementwiseProgram("narrow", { x }, Math.ceil(x.size / 2), body);
  return { ...program, uniforms: { ...program.uniforms, numbers: { type: "int32", value: x.size } } };
}

/** `size` halves as float32. */
export function widenProgram(halves: GpuArray, size: number): WgslProgram {
  const program = elementwiseProgram("widen", { halves }, size, `result[i] = ${readHalves("halves", "i", false)};`);
  return { ...program, inputs: { halves: { data: halves, halves: true } } };
}

/** Rows of a table of halves by number, as float32. */
export function gatherHalvesProgram(table: GpuArray, rows: GpuArray, width: number): WgslProgram {
  const place = "rows[i / uniforms.width] * uniforms.width + i % uniforms.width";
  const program = elementwiseProgram(
    "gather-halves",
    { table, rows },
    rows.size * width,
    `let place = ${place}; result[i] = ${readHalves("table", "place", false)};`,
  );
  return {
    ...program,
    inputs: { ...program.inputs, table: { data: table, halves: true } },
    uniforms: { ...program.uniforms, width: { type: "int32", value: width } },
  };
}
