import { LaconicError, type Problem, type Random } from "@laconic/core";
import type { TrainConfig } from "./config.ts";
import type { TrainingTask } from "./parts.ts";

/**
 * The problems of each step: new ones where the task makes them without end, else those of a pool, epoch by epoch. An epoch
 * visits each problem once, in an order of its own; it ends where it ends, also within a step. What a step gets depends on
 * its number and the seed alone, so a resumed or extended run goes on where it was.
 *
 * @param random - the run's stream
 * @throws LaconicError `config_invalid` when there are fewer problems than `problemPool` asks for, or none
 */
export function problemSource(
  task: Pick<TrainingTask, "name" | "problems" | "pool">,
  { problemPool, problemsPerStep, seed }: Pick<TrainConfig, "problemPool" | "problemsPerStep" | "seed">,
  random: Random,
): (step: number, stream: Random) => Problem[] {
  if (problemPool === null && !task.pool)
    return (_, stream) => task.problems(stream.split("problems"), problemsPerStep);
  const drawn = random.split(`pool:${seed}`);
  const pool = task.pool ? partOf(task.pool, problemPool, drawn) : distinct(task, problemPool ?? 0, drawn);
  if (pool.length === 0 || pool.length < (problemPool ?? 0))
    throw new LaconicError(
      "config_invalid",
      `problemPool: ${problemPool ?? "all"} problems asked for, but ${task.name} has ${pool.length}`,
      { key: "problemPool", problems: pool.length },
    );
  const orders = new Map<number, readonly Problem[]>();
  const orderOf = (epoch: number): readonly Problem[] => {
    const order = orders.get(epoch) ?? random.split(`epoch:${epoch}`).shuffle(pool);
    orders.delete(epoch - 2); // rollouts may be ahead by some steps, not by an epoch
    orders.set(epoch, order);
    return order;
  };
  return (step) =>
    Array.from({ length: problemsPerStep }, (_, i) => {
      const position = step * problemsPerStep + i;
      return orderOf(Math.floor(position / pool.length))[position % pool.length] as Problem;
    });
}

/** In an order of the seed, which is then cut. */
function partOf(all: readonly Problem[], count: number | null, random: Random): readonly Problem[] {
  return count === null ? all : random.shuffle(all).slice(0, count);
}

/** Draws that bring nothing new before there is taken to be nothing. */
const patience = 8;

function distinct(task: Pick<TrainingTask, "problems">, count: number, random: Random): Problem[] {
  const found = new Map<string, Problem>();
  for (let idle = 0; found.size < count && idle < patience; idle++) {
    for (const problem of task.problems(random, count)) {
      if (found.has(problem.id) || found.size === count) continue;
      found.set(problem.id, problem);
      idle = -1;
    }
  }
  return [...found.values()];
}
