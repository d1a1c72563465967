import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts files of seconds and minutes first, so that none is left to run alone at the end: those of a `test` folder
 * (other languages, devices, browsers), then those that need a process of their own, then the rest.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number =>
      project.config.isolate ? (/\/test\/[^/]+$/u.test(moduleId) ? 0 : 1) : 2;
    const usual = await BaseSequencer.prototype.sort.call(this, files);
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}
