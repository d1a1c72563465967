import { seenInTraining, type SeenInTraining } from "@laconic/benchmarks";
import type { TeamTask } from "@laconic/tasks";

/** Validation and test problems that are training problems too, by split; empty where no problem was seen. */
export type SeenProblems = Readonly<Partial<Record<"validation" | "test", SeenInTraining>>>;

/** Compares a task's validation and test problems with its training problems. A task that draws its problems has no list to compare. */
export function seenProblems({
  pool,
  validation,
  testProblems,
}: Pick<TeamTask, "pool" | "validation" | "testProblems">): SeenProblems {
  if (!pool) return {};
  const seen = {
    validation: validation && seenInTraining(pool, validation),
    test: seenInTraining(pool, testProblems),
  };
  return {
    ...(seen.validation && { validation: seen.validation }),
    ...(seen.test && { test: seen.test }),
  };
}

/** A warning for each split with seen problems. */
export function seenWarnings(problems: SeenProblems): string[] {
  return Object.entries(problems).map(
    ([split, { seen, of, first }]) =>
      `seen in training: ${seen} of ${of} ${split} problems, such as ${first}; accuracy on them does not show what the team can do on new ones`,
  );
}
