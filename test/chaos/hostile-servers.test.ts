import { join } from "node:path";
import { inspect } from "node:util";
import { LaconicError, randomFromSeed, type Completion } from "../../packages/core/src/index.ts";
import { openSnapshot } from "../../packages/hub/src/index.ts";
import { openAiModel } from "../../packages/openai/src/index.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hostileServer, hostilities, type Hostility } from "./hostile-server.ts";
import { command } from "./command.ts";
import { complaintAbout, temporary } from "./laconic-process.ts";

const secret = "hf_canary0123456789abcdef";

async function started(hostility: Hostility): Promise<string> {
  const { url, close } = await hostileServer(hostility);
  onTestFinished(close);
  return url;
}

/** A closed code, or whether a reply has counts that can be billed; anything else as it is. */
function outcomeOf(ended: unknown): string {
  if (LaconicError.is(ended)) return ended.code;
  const { promptTokens = -1, completionTokens = -1 } = (ended as Partial<Completion>).usage ?? {};
  const isCounted = [promptTokens, completionTokens].every((count) => Number.isSafeInteger(count) && count >= 0);
  return isCounted ? "counted" : inspect(ended);
}

/** How long somebody waits: short where nothing else ends it. */
const patienceMs = ({ stalls }: Hostility): number => (stalls ? 400 : 1500);

const named = hostilities.map((hostility) => ({ ...hostility, hostility }));

describe("a hostile server", () => {
  test.each(named)(
    "$name: a completion ends in time with our error or a valid reply",
    async ({ hostility, isAnswer = false }) => {
      const url = `${await started(hostility)}/v1`;
      const client = openAiModel({
        model: "m",
        baseUrl: url,
        apiKey: secret,
        attempts: 2,
        deadlineMs: patienceMs(hostility),
      });
      const sampling = { temperature: 0, maxTokens: 8 };
      const prompt = { kind: "messages", messages: [{ role: "user", content: "hi" }] } as const;
      const ended = await client
        .complete({ prompt, sampling, random: randomFromSeed(1).state() })
        .catch((error: unknown) => error);
      expect(outcomeOf(ended)).toMatch(
        isAnswer ? /^counted$/u : /^(?:api_refused|api_unavailable|reply_malformed|aborted)$/u,
      );
      expect(inspect(ended, { depth: 9 })).not.toContain(secret);
    },
  );

  test.each(named)("$name: a download ends with our error and names no file", async ({ hostility }) => {
    const endpoint = await started(hostility);
    const cacheFolder = join(await temporary(), "cache");
    const signal = AbortSignal.timeout(patienceMs(hostility));
    const wait = async (): Promise<void> => undefined;
    const ended = await openSnapshot({ repo: "owner/name", cacheFolder, endpoint, token: secret, wait, signal }).catch(
      (error: unknown) => error,
    );
    expect(outcomeOf(ended)).toMatch(/^(?:hub_\w+|aborted|config_invalid|data_invalid)$/u);
    expect(inspect(ended, { depth: 9 })).not.toContain(secret);
  });
});

test("stops an endless listing by its size", async () => {
  const endpoint = await started(hostilities.find(({ name }) => name === "does not end") as Hostility);
  const ended = await openSnapshot({ repo: "owner/name", cacheFolder: await temporary(), endpoint }).catch(
    (error: unknown) => error,
  );
  expect(ended).toFailWith("hub_unavailable", "longer than 64 MiB");
});

const outside = hostilities.filter(({ name }) =>
  ["is a login page", "is a bomb of gzip", "sends noise", "resets in the middle"].includes(name),
);

describe("the command line with a hostile hub", () => {
  test.for(outside)("$name: reports it in one line", async (hostility) => {
    vi.stubEnv("HF_ENDPOINT", await started(hostility));
    vi.stubEnv("HF_HOME", await temporary());
    vi.stubEnv("HF_TOKEN", secret);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ended = await command(["serve", "hub:owner/name", "--port", "0"]);
    expect([ended.code, complaintAbout(ended)]).toEqual([1, null]);
    expect(ended.out + ended.err).not.toContain(secret);
  });
});
