/** A small defect that a source can have. */
export interface Mutant {
  readonly file: string;
  readonly package: string;
  readonly line: number;
  readonly kind: string;
  readonly topic: string;
  readonly from: string;
}

export function mutantsOf(files: readonly string[]): Mutant[];
export function drawMutants(all: readonly Mutant[], perPackage: number, seed: number): Mutant[];
export function withSwitches(mutants: readonly Mutant[]): Map<string, string>;
