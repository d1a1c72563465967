import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { Admission, isWorthWaiting } from "./admission.ts";
import { finished, type RecordedCall } from "./rollout-record.ts";
import { RolloutRegistry, type RegistryEntry } from "./rollout-registry.ts";

const taking = { step: 5, maxLag: 2, groupsPerStep: 2 };

test.each([
  ["nothing is played", { ready: [5, 5], played: [] }, false],
  ["an old group is played that a later step can take", { ready: [5, 5], played: [4] }, false],
  ["a group is played that no later step may take", { ready: [4, 5], played: [3] }, true],
  ["two of an age are left, and the next step takes two", { ready: [5, 5], played: [4, 4] }, false],
  ["three of an age are left, and the next step takes two", { ready: [5, 5], played: [4, 4, 4] }, true],
  ["one is complete and two are played that only the next step may take", { ready: [4, 4, 4], played: [4, 4] }, false],
  ["the step has none but groups as old as the one that is played", { ready: [3, 3], played: [3] }, false],
  ["a group is older than may be", { ready: [3, 4], played: [2] }, true],
])("where %s", (_, ages, waits) => {
  expect(isWorthWaiting(ages, taking)).toBe(waits);
});

interface Played {
  readonly trained: number;
  readonly stale: number;
  readonly seconds: number;
}

const [groupsPerStep, rolloutsPerGroup, programs, groupsAtOnce, steps] = [4, 4, 4, 4, 24];

/**
 * Four programs whose rollouts take a second mostly, and now and then many; a step trains for two seconds. One program may die with all its
 * rollouts open.
 */
async function play(maxLag: number, waits: boolean, seed: number, dies = Infinity): Promise<Played> {
  let [now, step, stale, trained] = [0, 0, 0, 0];
  const events: { readonly at: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void): unknown => events.push({ at: now + ms, run });
  const registry = new RolloutRegistry({ groupsPerStep, rolloutsPerGroup, groupSeconds: 600 }, () => now);
  const window = { groups: (maxLag + 1) * groupsPerStep, rolloutsPerGroup };
  const admission = new Admission(registry, window, 30, () => now);
  const random = randomFromSeed(`late ${seed}`);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  let isTraining = false;
  let isOver = false;
  const atGate: RegistryEntry[] = [];
  const reply = (entry: RegistryEntry): void => {
    if (isTraining) return void atGate.push(entry);
    entry.calls = [{ step, kind: "first", completion: { usage: {} } } as unknown as RecordedCall];
    entry.touched = now;
  };
  const rollout = async (id: string, group: string, isDead: () => boolean): Promise<void> => {
    const begin = (): Promise<RegistryEntry> =>
      admission.begin(id, group, "train", new AbortController().signal).catch(begin); // asked to come again
    const entry = await begin();
    reply(entry);
    await new Promise<void>((done) => after(1000 * Math.exp(1.2 * normal()), done));
    if (isDead()) await new Promise(() => undefined);
    if (registry.open.has(id)) registry.finish(finished(entry, group, { team: { task: 1 } }, "a"));
    admission.admit();
  };
  const program = async (name: number): Promise<void> => {
    for (let round = 0; !isOver; round++)
      await Promise.all(
        Array.from({ length: groupsAtOnce * rolloutsPerGroup }, (_, i) => {
          const group = `${name}-${round}-${Math.floor(i / rolloutsPerGroup)}`;
          return rollout(`${group}-${i}`, group, () => name === 0 && now > dies);
        }),
      );
  };
  const mayBegin = (): boolean => {
    const ready = registry.ready();
    if (ready.length < groupsPerStep) return false;
    const ages = {
      ready: ready.map((lot) => Math.min(...lot.map(({ steps: [first] }) => first))),
      played: registry.played(30_000),
    };
    return !waits || !isWorthWaiting(ages, { step, maxLag, groupsPerStep });
  };
  const train = (): void => {
    isTraining = true;
    trained += registry.take().flat().length;
    admission.nextStep();
    after(2000, () => {
      step += 1;
      isTraining = false;
      for (const entry of atGate.splice(0)) reply(entry);
      for (const id of registry.olderThan(step, maxLag)) {
        registry.drop(id, "stale");
        stale += 1;
      }
      admission.admit();
    });
  };
  const sweep = (): void => {
    admission.sweep();
    if (!isOver) after(500, sweep);
  };
  sweep();
  for (let name = 0; name < programs; name++) void program(name);
  while (step < steps) {
    await new Promise((done) => setImmediate(done));
    if (!isTraining && mayBegin()) train();
    const next = events.reduce((first, item, i) => (item.at < (events[first]?.at ?? Infinity) ? i : first), 0);
    const [event] = events.splice(next, 1);
    if (!event) break;
    now = event.at;
    event.run();
  }
  isOver = true;
  return { trained, stale, seconds: now / 1000 };
}

test.each([1, 4])("with a lag of %d a step waits for groups that would become too old, and few do", async (maxLag) => {
  const [without, waiting] = [false, true].map((waits) => [1, 2, 3].map((seed) => play(maxLag, waits, seed)));
  const shareOf = (plays: readonly Played[]): number =>
    plays.reduce((sum, { stale }) => sum + stale, 0) /
    plays.reduce((sum, { stale, trained }) => sum + stale + trained, 0);
  const share = shareOf(await Promise.all(waiting ?? []));
  expect(share).toBeLessThan(0.02);
  expect(shareOf(await Promise.all(without ?? []))).toBeGreaterThan(2 * share);
});

test("a program that dies with its rollouts open ends no run", async () => {
  const { trained } = await play(1, true, 1, 20_000);
  expect(trained).toBeGreaterThanOrEqual((steps * groupsPerStep * rolloutsPerGroup) / 2); // late groups may be of two
});
