import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts slow files first, so that none runs alone at the end: first those of `test` folders (other languages, devices,
 * browsers), then those that need a separate process.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number =>
      project.config.isolate ? (/\/test\/[^/]+$/u.test(moduleId) ? 0 : 1) : 2;
    const usual = await BaseSequencer.prototype.sort.call(this, files);
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}
