import { expect, test } from "vitest";
import { failedAttempt, type AskedServer } from "./failure.ts";
import { FailedReply } from "./guarded-fetch.ts";
import { Secret } from "./secret.ts";

const asked = (key: string): AskedServer => ({ model: "m", place: "https://a.example/v1", key: new Secret(key) });
const now = 1_700_000_000_000;

interface ProviderError {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind: "retry" | "spent" | "refused";
  readonly afterMs?: number;
}

const openAi = (status: number, message: string, type: string, code: string | number | null) => ({
  status,
  body: { error: { message, type, param: null, code } },
});
const google = (message: string, quotaId: string, retryDelay?: string) => [
  {
    error: {
      code: 429,
      message,
      status: "RESOURCE_EXHAUSTED",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ quotaMetric: "generativelanguage.googleapis.com/requests", quotaId, quotaValue: "15" }],
        },
        {
          "@type": "type.googleapis.com/google.rpc.Help",
          links: [{ description: "Quotas", url: "https://ai.google" }],
        },
        ...(retryDelay ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] : []),
      ],
    },
  },
];

/** Written by hand in the form that each provider documents; the words are such that words alone mislead. */
const errors: readonly ProviderError[] = [
  {
    name: "OpenAI, spent",
    ...openAi(
      429,
      "You exceeded your current quota, check your plan and billing.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    kind: "spent",
  },
  {
    name: "OpenAI, spent by its type alone",
    ...openAi(429, "Too many requests", "insufficient_quota", null),
    kind: "spent",
  },
  {
    name: "OpenAI, no billing set up",
    ...openAi(429, "Your account is not active.", "billing_not_active", "billing_not_active"),
    kind: "spent",
  },
  {
    name: "OpenAI, hard limit",
    ...openAi(400, "Billing hard limit has been reached", "invalid_request_error", "billing_hard_limit_reached"),
    kind: "spent",
  },
  {
    name: "OpenAI, requests a minute on the free tier",
    ...openAi(
      429,
      "Rate limit reached on requests per min. Add a payment method to your account at /account/billing.",
      "requests",
      "rate_limit_exceeded",
    ),
    headers: {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "20s",
      "x-ratelimit-remaining-tokens": "30000",
      "x-ratelimit-reset-tokens": "0s",
    },
    kind: "retry",
    afterMs: 20_000,
  },
  {
    name: "Azure, tokens a minute",
    status: 429,
    body: {
      error: {
        code: "429",
        message: "Requests have exceeded the token rate limit of your S0 pricing tier. See /oai/quotaincrease.",
      },
    },
    headers: { "retry-after": "26", "retry-after-ms": "25730" },
    kind: "retry",
    afterMs: 25_730,
  },
  {
    name: "Azure, newer",
    status: 429,
    body: { error: { code: "RateLimitReached", message: "Exceeded call rate limit; request a quota increase." } },
    headers: { "retry-after": "60" },
    kind: "retry",
    afterMs: 60_000,
  },
  {
    name: "Azure, a spent account handed on",
    status: 429,
    body: { error: { code: "insufficient_quota", message: "You exceeded your current quota." } },
    kind: "spent",
  },
  {
    name: "Azure API Management",
    status: 429,
    body: { statusCode: 429, message: "Rate limit is exceeded. Try again in 12 seconds." },
    headers: { "retry-after": "12" },
    kind: "retry",
    afterMs: 12_000,
  },
  {
    name: "Gemini, requests a minute",
    status: 429,
    body: google(
      "You exceeded your current quota, please check your plan and billing details.",
      "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
      "36.5s",
    ),
    kind: "retry",
    afterMs: 36_500,
  },
  {
    name: "Gemini, not in a list and without details",
    status: 429,
    body: { error: { code: 429, message: "Resource has been exhausted (check quota).", status: "RESOURCE_EXHAUSTED" } },
    kind: "retry",
  },
  {
    name: "Gemini, a wrong key",
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: "API key not valid.",
          status: "INVALID_ARGUMENT",
          details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
        },
      },
    ],
    kind: "refused",
  },
  {
    name: "Anthropic, a rate limit",
    status: 429,
    body: {
      type: "error",
      error: { type: "rate_limit_error", message: "Would exceed your organization's credit rate." },
    },
    headers: { "retry-after": "7" },
    kind: "retry",
    afterMs: 7000,
  },
  {
    name: "Anthropic, overloaded",
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    kind: "retry",
  },
  {
    name: "Anthropic, unpaid",
    status: 402,
    body: { type: "error", error: { type: "billing_error", message: "There is an issue with your payment." } },
    kind: "spent",
  },
  {
    name: "Anthropic, no credit, which it calls an invalid request",
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "Your credit balance is too low." } },
    kind: "refused",
  },
  {
    name: "OpenRouter, no credits",
    status: 402,
    body: { error: { code: 402, message: "Insufficient credits. Add more." } },
    kind: "spent",
  },
  {
    name: "OpenRouter, free models a day",
    status: 429,
    body: {
      error: {
        code: 429,
        message: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more.",
        metadata: {
          headers: {
            "X-RateLimit-Limit": "50",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": String(now + 90_000),
          },
          provider_name: null,
        },
      },
      user_id: "user",
    },
    kind: "retry",
    afterMs: 90_000,
  },
  {
    name: "Mistral, requests a second",
    status: 429,
    body: { object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" },
    kind: "retry",
  },
  {
    name: "Mistral, older",
    status: 429,
    body: { message: "Requests rate limit exceeded" },
    kind: "retry",
  },
  {
    name: "Mistral, the tier's capacity",
    status: 429,
    body: {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      param: null,
      code: "3505",
    },
    kind: "retry",
  },
  {
    name: "Groq, tokens a minute",
    ...openAi(
      429,
      "Rate limit reached: try again in 7.66s. Need more tokens? Upgrade at /settings/billing",
      "tokens",
      "rate_limit_exceeded",
    ),
    headers: { "retry-after": "8", "x-ratelimit-reset-tokens": "7.66s", "x-ratelimit-reset-requests": "2m59.56s" },
    kind: "retry",
    afterMs: 8000,
  },
  {
    name: "Together, a rate limit that it types credit_limit",
    ...openAi(
      429,
      "You have been rate limited: 60 queries per minute. Upgrade to a paid plan at /settings/billing.",
      "credit_limit",
      null,
    ),
    kind: "retry",
  },
  {
    name: "Together, no credit",
    ...openAi(402, "Credit limit exceeded.", "credit_limit", null),
    kind: "spent",
  },
  {
    name: "Together, a model's limit",
    ...openAi(429, "You have reached the rate limit specific to this model.", "model_rate_limit", null),
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "3" },
    kind: "retry",
    afterMs: 3000,
  },
  {
    name: "DeepSeek, no balance",
    ...openAi(402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
    kind: "spent",
  },
  {
    name: "Moonshot, no balance",
    status: 429,
    body: { error: { message: "Your account is suspended", type: "exceeded_current_quota_error" } },
    kind: "spent",
  },
  {
    name: "Moonshot, a rate limit",
    status: 429,
    body: { error: { message: "quota: max RPM 3", type: "rate_limit_reached_error" } },
    kind: "retry",
  },
  {
    name: "LiteLLM's proxy, its budget",
    ...openAi(400, "Budget has been exceeded!", "budget_exceeded", "400"),
    kind: "spent",
  },
  {
    name: "a free tier without any form",
    status: 429,
    body: "billing credit quota budget insufficient_quota",
    kind: "retry",
  },
];

test.for(errors.map((each) => [each.name, each] as const))(
  "%s",
  ([, { status, body, headers = {}, kind, afterMs }]) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const reply = new FailedReply(status, new Headers(headers), text);
    // As the SDK hands it on.
    const { remedy, charged, toError } = failedAttempt(
      new Error("Connection error.", { cause: reply }),
      asked("none"),
      now,
    );
    expect(remedy.kind).toBe(kind);
    expect(remedy.kind === "retry" ? remedy.afterMs : undefined).toBe(afterMs);
    expect(charged).toBe(false);
    const code = { retry: "api_unavailable", spent: "budget_refused", refused: "api_refused" }[kind];
    expect(toError(1)).toMatchObject({ code, detail: { model: "m", attempts: 1, status } });
  },
);

test("the words of an error are for people: they are in the message, whatever form they came in", () => {
  const said = (body: unknown): string =>
    failedAttempt(
      new FailedReply(400, new Headers(), typeof body === "string" ? body : JSON.stringify(body)),
      asked("key-1234"),
      now,
    ).toError(1).message;
  expect(said({ error: { message: "no such model" } })).toBe("m at a.example: 400: no such model");
  expect(said([{ error: { message: "not valid" } }])).toBe("m at a.example: 400: not valid");
  expect(said({ object: "error", message: "no" })).toBe("m at a.example: 400: no");
  expect(said({ error: "a text, with key-1234" })).toBe("m at a.example: 400: a text, with [redacted]");
  expect(said("<html>Bad gateway</html>")).toBe("m at a.example: 400: <html>Bad gateway</html>");
});
