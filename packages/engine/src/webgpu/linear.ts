import { matrixSize, type Handle, type KernelFamily, type Tensor } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { columnSumsProgram } from "./norm.ts";
import type { ComputeDevice } from "./gpu.ts";
import type { WgslProgram } from "./wgsl/program.ts";

export function linearKernels(device: GpuDevice): KernelFamily<"linear"> {
  /** Zeros for an empty sum. */
  const multiply = (operands: Product): Handle<GpuArray> => {
    const { rows, columns, inner } = operands;
    return rows * columns * inner === 0
      ? device.zeros([rows, columns])
      : device.store.adoptFloats(product(device, operands));
  };
  const applied = (x: Tensor, weight: Tensor, bias?: Tensor): Product => {
    const [rows, inner] = matrixSize(x);
    const [columns] = matrixSize(weight);
    return {
      rows,
      columns,
      inner,
      left: { data: device.data(x), along: true },
      right: { data: device.data(weight), along: true },
      ...(bias && { bias: device.data(bias) }),
    };
  };
  return {
    linear: (x, weight, bias) => multiply(applied(x, weight, bias)),
    linearOnto(into, x, weight, bias) {
      const added = applied(x, weight, bias);
      if (added.rows > 0) productInto(device, { ...added, adds: true }, device.unshared(into));
    },
    linearBackward(dOut, x, weight, needs, into = {}) {
      const [rows, inputs] = matrixSize(x);
      const [outputs] = matrixSize(weight);
      const outer = { data: device.data(dOut) };
      const input = { data: device.data(x), along: false };
      const right = { data: device.data(weight), along: false };
      const dX = needs.input
        ? multiply({ rows, columns: inputs, inner: outputs, left: { ...outer, along: true }, right })
        : null;
      const ofWeight = {
        rows: outputs,
        columns: inputs,
        inner: rows,
        left: { ...outer, along: false },
        right: input,
      };
      const dWeight = needs.weight
        ? device.settle(into.dWeight, [outputs, inputs], rows, (result, adds) =>
            productInto(device, { ...ofWeight, adds }, result),
          )
        : null;
      const dBias = needs.bias
        ? device.settle(into.dBias, [outputs], rows, (result, adds) =>
            device.runner.runInPlace(columnSumsProgram(outer.data, undefined, adds), result),
          )
        : null;
      return { ...(dX && { dX }), ...(dWeight && { dWeight }), ...(dBias && { dBias }) };
    },
    headLogits: (hidden, weight) => multiply(applied(hidden, weight)),
  };
}

export function product({ runner }: GpuDevice, operands: Product): GpuArray {
  const { rows, columns } = operands;
  const tile = tileFor(runner.limits, rows, columns);
  return runner.run(productProgram(operands, tile), [rows, columns]);
}

export function productInto({ runner }: GpuDevice, operands: Product, result: GpuArray): void {
  runner.runInPlace(productProgram(operands, tileFor(runner.limits, operands.rows, operands.columns)), result);
}

/**
 * [rows, inner] times [inner, columns]. Operands are contiguous along or across the inner axis: x W^T along, dOut W
 * the second across, dOut^T x both across.
 */
export interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly left: Operand;
  readonly right: Operand;
  /** [columns]. */
  readonly bias?: GpuArray;
  /** First element in `result`. */
  readonly start?: number;
  readonly adds?: boolean;
}

export interface Operand {
  readonly data: GpuArray;
  /** Contiguous along the inner axis. */
  readonly along: boolean;
  /** A multiple of 4 if the contiguous axis is one. */
  readonly start?: number;
}

/** Threads compute 4 by 4. */
export interface Tile {
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

const tiles: readonly Tile[] = [
  { rows: 64, columns: 64, depth: 16 },
  { rows: 16, columns: 64, depth: 32 },
  { rows: 16, columns: 16, depth: 32 },
];

/** Largest tile that the result fills by more than half. */
export function tileFor(limits: ComputeDevice["limits"], rows: number, columns: number): Tile {
  const fits = (tile: Tile): boolean =>
    (tile.rows * tile.columns) / 16 <= limits.maxComputeInvocationsPerWorkgroup &&
    (tile.rows + tile.columns) * tile.depth * 4 <= limits.maxComputeWorkgroupStorageSize;
  const least = tiles.at(-1)!;
  return tiles.find((tile) => fits(tile) && 2 * rows > tile.rows && 2 * columns > tile.columns) ?? least;
}

/** Workgroups read tiles, four numbers at a time if possible. Sums follow the inner axis in order. */
export function productProgram(operands: Product, tile: Tile): WgslProgram {
  const { rows, columns, inner, left, right, bias, start = 0, adds = false } = operands;
  const contiguous = (side: Operand, across: number): number => (side.along ? inner : across);
  const vector = contiguous(left, rows) % 4 === 0 && contiguous(right, columns) % 4 === 0;
  const across = Math.ceil(columns / tile.columns);
  return {
    name: `product ${left.along} ${right.along}`,
    constants: { ROWS: tile.rows, COLUMNS: tile.columns, DEPTH: tile.depth },
    inputs: { left: left.data, right: right.data, bias: bias ?? left.data },
    vectors: vector ? ["left", "right"] : [],
    integers: {
      rows,
      columns,
      inner,
      leftStart: left.start ?? 0,
      rightStart: right.start ?? 0,
      start,
      biased: bias ? 1 : 0,
      adds: adds ? 1 : 0,
      across,
    },
    groupSize: (tile.rows * tile.columns) / 16,
    groups: Math.ceil(rows / tile.rows) * across,
    code: `
var<workgroup> leftTile : array<f32, ROWS * DEPTH>;
var<workgroup> rightTile : array<f32, COLUMNS * DEPTH>;
${readTile("left", "ROWS", "rows", left, vector)}
${readTile("right", "COLUMNS", "columns", right, vector)}
fn main(index : i32) {
  let group = index / THREADS;
  let firstRow = (group / uniforms.across) * ROWS;
  let firstColumn = (group % uniforms.across) * COLUMNS;
  let own = i32(localIndex);
  let row = own / (COLUMNS / 4) * 4;
  let column = own % (COLUMNS / 4) * 4;
  var sums : array<vec4<f32>, 4>;
  for (var step = 0; step < uniforms.inner; step += DEPTH) {
    readLeft(firstRow, step);
    readRight(firstColumn, step);
    workgroupBarrier();
    let depth = min(DEPTH, uniforms.inner - step);
    for (var k = 0; k < depth; k++) {
      let l = k * ROWS + row;
      let r = k * COLUMNS + column;
      let other = vec4<f32>(rightTile[r], rightTile[r + 1], rightTile[r + 2], rightTile[r + 3]);
      sums[0] += leftTile[l] * other;
      sums[1] += leftTile[l + 1] * other;
      sums[2] += leftTile[l + 2] * other;
      sums[3] += leftTile[l + 3] * other;
    }
    workgroupBarrier();
  }
  for (var i = 0; i < 4; i++) {
    let atRow = firstRow + row + i;
    if (atRow < uniforms.rows) {
      for (var j = 0; j < 4; j++) {
        let atColumn = firstColumn + column + j;
        if (atColumn < uniforms.columns) {
          let place = uniforms.start + atRow * uniforms.columns + atColumn;
          var value = sums[i][j];
          if (uniforms.biased == 1) { value += bias[atColumn]; }
          if (uniforms.adds == 1) { value += result[place]; }
          result[place] = value;
        }
      }
    }
  }
}`,
  };
}

/** WGSL: zeros beyond the edges. */
function readTile(name: string, size: string, extent: string, side: Operand, vector: boolean): string {
  const { along } = side;
  const width = vector ? 4 : 1;
  const [outer, innermost] = along
    ? ["i / (DEPTH / W)", "i % (DEPTH / W) * W"]
    : [`i % (${size} / W) * W`, `i / (${size} / W)`];
  const source = along
    ? `(first + outer) * uniforms.inner + step + inner`
    : `(step + inner) * uniforms.${extent} + first + outer`;
  const write = (j: number, value: string): string =>
    along
      ? `${name}Tile[(inner + ${j}) * ${size} + outer] = ${value};`
      : `${name}Tile[inner * ${size} + outer + ${j}] = ${value};`;
  return `
fn read${name[0]?.toUpperCase()}${name.slice(1)}(first : i32, step : i32) {
  const W = ${width};
  for (var i = i32(localIndex); i < ${size} * DEPTH / W; i += THREADS) {
    let outer = ${outer};
    let inner = ${innermost};
    var value = ${vector ? "vec4<f32>()" : "0.0"};
    if (first + outer < uniforms.${extent} && step + inner < uniforms.inner) {
      value = ${name}[(uniforms.${name}Start + ${source}) / W];
    }
    ${vector ? ["x", "y", "z", "w"].map((part, j) => write(j, `value.${part}`)).join(" ") : write(0, "value")}
  }
}`;
}
