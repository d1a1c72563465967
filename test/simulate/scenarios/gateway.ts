import type { Random } from "../../../packages/core/src/index.ts";
import { openJournal } from "../../../packages/runtime/src/endpoint/gateway-journal.ts";
import { restore, type Restored } from "../../../packages/serve/src/gateway/journal.ts";
import { createGateway } from "../../../packages/serve/src/index.ts";
import { parseTrainConfig } from "../../../packages/trainer/src/settings/parse-train-config.ts";
import { eachEpisode, folderSource } from "../../../packages/trainer/src/reading/index.ts";
import { tinyTokenizer } from "../../../packages/trainer/src/testing/index.ts";
import { AgentProgram, Rollouts } from "../agent-programs.ts";
import { connections, type Listener } from "../connections.ts";
import { expectThat, hasMisread, looked, restarted, rowsOf, runFolder, untilDone, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import { begin, episodesPerGroup, groupsPerStep, jobOf, plainVariant, steps, trainOnce } from "../training.ts";
import type { TrainingJob, Variant } from "../training.ts";
import type { World } from "../world.ts";

const url = "http://127.0.0.1:8000";
const programs = 3;
/** Time limits of the gateway, shorter than those of agent programs. */
const [rolloutSeconds, groupSeconds, stalledSeconds] = [60, 60, 10];
const sweepMs = 1000;
/** Small limit, so that a run rotates its journal. */
const segmentBytes = 6000;

const listeners = new WeakMap<World, { current: Listener | null }>();

/** Run with episodes from requests, as `serve --train` opens it. */
function jobOn(world: World, variant: Variant): TrainingJob {
  const settings = parseTrainConfig({
    ...variant.settings,
    evaluation: { every: 0, problems: 1, transcripts: 1 },
  });
  const listening = listeners.get(world) as NonNullable<ReturnType<typeof listeners.get>>;
  return {
    ...jobOf(world, variant),
    settings,
    async openSource(program) {
      const note = (error: unknown): void => {
        world.told();
        world.note(`the gateway says: ${String(error).slice(0, 200)}`);
      };
      const journal = await openJournal(runFolder, true, { warn: note, segmentBytes });
      const gateway = createGateway({
        agents: { solver: { tokenizer: tinyTokenizer, contextLength: 64, learns: true } },
        apiKey: secret,
        groupsPerStep,
        rolloutsPerGroup: episodesPerGroup,
        groupSeconds,
        maxLag: settings.asynchronous?.maxLag ?? 0,
        tools: null,
        limits: { rolloutSeconds, stalledSeconds },
        seed: settings.seed,
        journal: (event) => journal.write(event),
        past: journal.past,
        now: () => world.wallClock(),
        onError: note,
      });
      const sweeping = setInterval(() => void gateway.sweep().catch(note), sweepMs);
      listening.current = { program, handler: gateway.handler };
      return {
        source: gateway,
        close: async () => {
          clearInterval(sweeping);
          await gateway.close();
          listening.current = null;
          await journal.close();
        },
      };
    },
  };
}

interface Trained {
  readonly grade: unknown;
  readonly replies: readonly { readonly text: string; readonly tokens: number }[];
}

/** By id, which agent programs send as answers. @throws Violation for a rollout trained twice */
async function trainedRollouts(): Promise<ReadonlyMap<string, Trained>> {
  const trained = new Map<string, Trained>();
  for await (const { episode, terms } of eachEpisode(folderSource(runFolder), "step")) {
    const id = episode.answer ?? "";
    expectThat(!trained.has(id), `rollout ${id} is trained twice`);
    const replies = episode.utterances.map(({ text, writtenTokens }) => ({ text, tokens: writtenTokens }));
    trained.set(id, { grade: (terms as { readonly task?: number } | undefined)?.task, replies });
  }
  return trained;
}

/** Checks that acknowledged rewards are trained once, pending or dropped, with the programs' messages. */
async function expectKept(world: World, { known }: Rollouts): Promise<void> {
  const trained = await trainedRollouts();
  const note = (message: string): void => world.note(message); // a kill may truncate a part's last row
  const journal = await openJournal(runFolder, true, { warn: note });
  const past: Restored = await restore(journal.past, steps);
  const [waiting, taken, dropped] = [
    new Set(past.waiting.map(({ id }) => id)),
    new Set(past.trained),
    new Map(past.dropped),
  ];
  expectThat(
    taken.size === trained.size && [...taken].every((id) => trained.has(id)),
    `the journal has ${[...taken].join()} as trained, the folder ${[...trained.keys()].join()}`,
  );
  const duplicates = world.faults.met.filter((fault) => fault.kind === "server" && fault.how === "duplicate").length;
  for (const [id, { acknowledged, sent, heard, unheard }] of known) {
    const match = trained.get(id);
    if (acknowledged !== null)
      expectThat(
        [match !== undefined, waiting.has(id), dropped.has(id)].filter(Boolean).length === 1,
        `the reward of rollout ${id} was acknowledged, and it is ${match ? "trained and not trained" : "lost"}`,
      );
    if (!match) continue;
    const grade = match.grade as number;
    expectThat(sent.has(grade), `rollout ${id} is trained with the reward ${grade}, which nobody sent`);
    expectThat(acknowledged === null || acknowledged === grade, `rollout ${id} is trained with another reward`);
    const rest = match.replies.map((reply) => JSON.stringify(reply));
    for (const reply of heard) {
      const index = rest.indexOf(JSON.stringify(reply));
      expectThat(index >= 0, `rollout ${id} is trained without a reply that its program heard`);
      rest.splice(index, 1);
    }
    expectThat(rest.length <= unheard + duplicates, `rollout ${id} has ${rest.length} replies that nobody asked for`);
  }
}

export const gateway: Scenario = {
  title: "a run that is trained through requests of three agent programs, which fail as well as it does",
  share: 2,
  faults: {
    kinds: [
      "kill",
      "kill",
      "kill",
      "power",
      "error",
      "full",
      "slow",
      "pause",
      "jump",
      "signal",
      "memory",
      "server",
      "server",
    ],
    events: 1500,
    replies: 70,
    servers: ["slow", "status", "cut", "dead", "garbage", "lost", "lost", "duplicate", "duplicate"],
  },
  server(world) {
    const listening = { current: null };
    listeners.set(world, listening);
    return connections(world, () => listening.current);
  },
  keyHosts: [new URL(url).host],
  async play(world: World, random: Random) {
    const variant = plainVariant(1 + random.integer(2), random.uniform() < 0.5);
    begin(world.disk);
    const rollouts = new Rollouts(episodesPerGroup);
    const play = (name: number): Promise<void> => {
      const own = random.split(`program ${name}`);
      return restarted(
        world,
        () => rollouts.isOver,
        (program) => new AgentProgram(world, rollouts, own, url).run(program),
      );
    };
    const train = async (): Promise<void> => {
      const acknowledged = { step: 0 };
      const result = await untilDone(world, () => trainOnce(world, jobOn(world, variant), acknowledged));
      rollouts.isOver = true;
      expectThat(result?.steps === steps && !result.interrupted, `the run ended after ${result?.steps} steps`);
    };
    await Promise.all([
      train().finally(() => (rollouts.isOver = true)),
      ...Array.from({ length: programs }, (_, i) => play(i)),
    ]);
    const own = rowsOf<{ readonly step: number }>(world.disk, `${runFolder}/metrics.jsonl`).map(({ step }) => step);
    expectThat(own.join() === "1,2,3,4", `metrics.jsonl has the steps ${own.join()}`);
    if (!hasMisread(world)) await looked(world, () => expectKept(world, rollouts));
  },
};
