import { expect, test } from "vitest";
import type { SinkRun } from "./metric-sink.ts";
import { redacted, secretsIn, clean } from "./redact.ts";

const secrets = secretsIn({
  WANDB_API_KEY: "0123456789abcdef",
  SMTP_PASSWORD: "correct horse",
  HF_TOKEN: "hf_abcdefghijk",
  SHORT_TOKEN: "abc",
  PATH: "/usr/local/bin",
});

test("redacts values of secret variables, and user and password of an address", () => {
  expect(secrets).toEqual(["0123456789abcdef", "correct horse", "hf_abcdefghijk"]);
  expect(redacted("key 0123456789abcdef at https://ann:pw@example.com/x", secrets)).toBe(
    "key [redacted] at https://[redacted]@example.com/x",
  );
});

test("a sink gets no secret of settings and environment, and its error contains none", async () => {
  let heard: SinkRun | null = null;
  const sink = clean(
    {
      begin: (run) => void (heard = run),
      log: () => {
        throw new Error("refused: correct horse");
      },
    },
    secrets,
    "mine",
  );
  const config = {
    api: { baseUrl: "http://u:p@host", headers: ["hf_abcdefghijk"] },
    train: { prices: { tokens: 0.1 } },
  };
  await sink.begin?.({ name: "r", directory: "/r", config, environment: { node: "v20" } });
  expect(heard).toEqual({
    name: "r",
    directory: "/r",
    config: { api: { baseUrl: "http://[redacted]@host", headers: ["[redacted]"] }, train: { prices: { tokens: 0.1 } } },
    environment: { node: "v20" },
  });
  await expect(sink.log({}, 1)).rejects.toThrow("refused: [redacted]");
  expect(sink.name).toBe("mine");
});
