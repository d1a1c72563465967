import { cpus, loadavg } from "node:os";

export function machine(): Record<string, unknown> {
  return { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load1: loadavg()[0] };
}

export function print(bench: string, result: Record<string, unknown>): void {
  console.log(JSON.stringify({ bench, ...result }));
}

export function round3(value: number): number {
  return Math.round(1000 * value) / 1000;
}
