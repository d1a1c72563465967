import { cpus, loadavg } from "node:os";

/** What a figure was measured on. */
export function machine(): Record<string, unknown> {
  return { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load1: loadavg()[0] };
}

/** Prints one result as a line of JSON. */
export function print(bench: string, result: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ bench, ...result })}\n`);
}
