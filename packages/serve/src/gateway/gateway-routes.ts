import { isRecord, type AgentId } from "@laconic/core";
import { samplingFields } from "@laconic/core/backends";
import { ClientGone } from "../client-gone.ts";
import { createCompleter, type Completer } from "../completer.ts";
import { repliesTo } from "../run-job.ts";
import { checkKey, HttpError, invalid, jsonResponse, modelCard, noModel, noPath, pathOf, readJson } from "../http.ts";
import { chatJob, completionJob, modelIn, withoutNulls, type Job } from "../jobs.ts";
import { checkPromptLength } from "../prompt-length.ts";
import { checkCaller } from "../request-guard.ts";
import type { Surface } from "../surfaces/surface.ts";
import { surfaceAt, throughSurface } from "../surfaces/surfaces.ts";
import { behind } from "./admission.ts";
import type { GatewayAgent, GatewaySettings } from "./gateway-options.ts";
import { belongingOf, checkId, isRepeated, rewardIn, type Belonging } from "./gateway-requests.ts";
import { plainChat, withoutTools } from "./plain-chat.ts";
import { countValidated, rememberReward, type GatewayState } from "./gateway-state.ts";
import { recordingModel, refused, staleRollout } from "./recording-model.ts";
import { finished, validated } from "./finished-rollout.ts";
import { learnersIn, type DropReason, type RegistryEntry, type Split } from "./rollout-registry.ts";

type Body = Readonly<Record<string, unknown>>;

/** Routes of the gateway: completions, rewards and what became of rollouts. */
export class GatewayRoutes {
  readonly #options: GatewaySettings;
  readonly #state: GatewayState;
  readonly #drop: (id: string, reason: DropReason) => Promise<void>;
  readonly #names: readonly string[];
  readonly #learners: ReadonlySet<string>;
  readonly #completer: Completer;

  constructor(options: GatewaySettings, state: GatewayState, drop: (id: string, reason: DropReason) => Promise<void>) {
    this.#options = options;
    this.#state = state;
    this.#drop = drop;
    this.#names = Object.keys(options.agents);
    this.#learners = new Set(this.#names.filter((name) => options.agents[name]?.learns));
    this.#completer = createCompleter(options);
  }

  /** @throws HttpError for whatever is refused */
  async answer(request: Request): Promise<Response> {
    const { headers, method } = request;
    checkCaller(request, this.#options.hosts, this.#options.apiKey);
    const path = pathOf(request);
    if (method === "GET" && path === "/health")
      return jsonResponse(200, { status: "ok", running: this.#completer.running(), step: this.#state.step });
    checkKey(headers, this.#options.apiKey);
    const [, named, id = null, rest = ""] = /^(?:\/v1)?(\/rollouts)\/([^/]+)(?:\/v1)?(?:\/(.*))?$/u.exec(path) ?? [];
    const own = named === undefined ? path.replace(/^\/v1/u, "") : `/${rest}`;
    if (id !== null) checkId(id, "rollout");
    if (method === "GET" && own === "/models")
      return jsonResponse(200, { object: "list", data: this.#names.map((name) => this.#cardOf(name)) });
    if (method === "GET" && own.startsWith("/models/"))
      return jsonResponse(200, this.#cardOf(own.slice("/models/".length)));
    if (completionPath.test(own)) {
      if (method !== "POST") throw new HttpError(405, "invalid_request_error", `${path} takes POST`);
      return this.#complete(request, own, id);
    }
    if (id !== null) return this.#rollouts(request, id, rest);
    throw noPath(path);
  }

  async #bodyOf(request: Request, surface?: Surface): Promise<Body> {
    const json = await readJson(request, this.#options.maxBodyBytes, surface?.keep);
    if (!isRecord(json)) throw invalid("the body is no JSON object");
    return json;
  }

  /** @throws HttpError for a rollout that is not open any more */
  #openRollout(id: string, isEnding = false): RegistryEntry | null {
    const found = this.#state.registry.open.get(id);
    if (found?.ending && !isEnding) throw refused("rollout_ended", `rollout ${id} has its reward`);
    if (found) return found;
    const ended = this.#state.registry.ended(id);
    if (ended === null) return null;
    if (ended.state === "dropped" && ended.reason === "stale") throw staleRollout(this.#state.step ?? 0);
    if (ended.state === "dropped")
      throw refused(`rollout_${ended.reason}`, `rollout ${id} was dropped (${ended.reason}); begin a new one`, 404);
    throw refused("rollout_ended", `rollout ${id} has its reward`);
  }

  async #beginOr(id: string, { group, split }: Belonging, signal: AbortSignal): Promise<RegistryEntry> {
    const rollout = this.#openRollout(id) ?? (await this.#begin(id, group, split ?? "train", signal));
    rollout.opened ??= this.#options.journal({ kind: "opened", id }).catch((error: unknown) => {
      this.#state.registry.open.delete(id);
      throw error;
    });
    await rollout.opened; // by another of its requests, where that came first
    if (group !== null && rollout.group !== null && rollout.group !== group)
      throw refused("group_differs", `rollout ${id} belongs to the group ${rollout.group}, not ${group}`);
    if (split !== null && split !== rollout.split)
      throw refused(
        "split_differs",
        `the first request of rollout ${id} is of the split ${rollout.split}, not ${split}`,
      );
    rollout.group ??= group;
    rollout.touched = this.#options.now();
    return rollout;
  }

  async #begin(id: string, group: string | null, split: Split, signal: AbortSignal): Promise<RegistryEntry> {
    const { admission, registry } = this.#state;
    const { maxOpen, maxWaiting } = this.#options.limits;
    if (registry.open.size + admission.held >= maxOpen)
      throw new HttpError(429, "rate_limit_error", `${maxOpen} rollouts are open already`, null, "rollouts_open");
    if (split !== "validation" && registry.waiting >= maxWaiting)
      throw behind(`${registry.waiting} rollouts wait to be trained`);
    return admission.begin(id, group, split, signal);
  }

  #agentOf(body: Body): [AgentId, GatewayAgent] {
    const model = modelIn(body);
    return [model, this.#agentNamed(model)];
  }

  #agentNamed(name: string): GatewayAgent {
    const found = Object.hasOwn(this.#options.agents, name) ? this.#options.agents[name] : undefined;
    if (found) return found;
    throw noModel(name, this.#names);
  }

  /** Draws under the run's sampling, whatever is asked for. */
  #checkSampling(body: Body): void {
    const own = samplingFields("openai-extended", this.#options.sampling, "all");
    const other = Object.keys(own).find(
      (key) => body[key] !== undefined && body[key] !== null && body[key] !== own[key],
    );
    if (other === undefined) return;
    if (this.#options.otherSampling === "refuse")
      throw invalid(
        `${other} is ${JSON.stringify(body[other])}, this run samples at ${JSON.stringify(own[other])}`,
        other,
      );
    this.#state.otherSampling += 1;
  }

  #jobOf(path: string, body: Body, rollout: RegistryEntry, agent: AgentId, found: GatewayAgent): [Job, boolean] {
    this.#checkSampling(body);
    const isChat = path !== "/completions";
    const { tokenizer, contextLength } = found;
    const { messages, offered, rules } = isChat
      ? plainChat(body, rollout.calls, agent, this.#options.tools)
      : { messages: undefined, offered: [], rules: [] };
    const rest = isChat ? withoutTools(body) : body;
    const { defaultMaxTokens } = this.#options;
    const job = isChat ? chatJob({ ...rest, messages }, defaultMaxTokens) : completionJob(rest, defaultMaxTokens);
    const [rule] = [...rules, ...job.rules];
    // What is drawn until it fits is no draw of the policy's, and must not be trained as one.
    if (rule) throw invalid(`${rule.parameter}: in training the policy alone decides what it writes`, rule.parameter);
    if (job.count !== 1) throw invalid("a request of a rollout gets one reply", "n");
    if (job.echo) throw invalid("echo: prompts are not given back here", "echo");
    if (tokenizer) for (const prompt of job.prompts) checkPromptLength(prompt, tokenizer, contextLength);
    return [job, offered.length > 0];
  }

  async #complete(request: Request, path: string, inPath: string | null): Promise<Response> {
    const surface = surfaceAt(path);
    const json = await this.#bodyOf(request, surface);
    const asked = surface?.read(json);
    const body = withoutNulls(asked?.chat ?? json);
    const belonging = belongingOf(body, request.headers, inPath);
    const [agent, found] = this.#agentOf(body);
    const rollout = await this.#beginOr(rolloutId(belonging), belonging, request.signal);
    const [job, hasTools] = this.#jobOf(path, body, rollout, agent, found);
    let leave = (): void => undefined;
    let left = false;
    const end = (): void => {
      if (left) return;
      left = true;
      rollout.asking -= 1;
      rollout.touched = this.#options.now();
      leave();
    };
    rollout.asking += 1;
    try {
      leave = await this.#state.gate.enter(request.signal);
      this.#openRollout(rollout.id); // it may have ended while it waited
      const seed = String(job.body.seed ?? "");
      const idempotencyKey = request.headers.get("idempotency-key");
      const { model, readReply } = recordingModel(this.#options, this.#state, rollout, {
        agent,
        seed,
        hasTools,
        idempotencyKey,
      });
      const facts = { system_fingerprint: `step-${this.#state.step}` };
      const replies = repliesTo(
        { ...job, facts, ...(hasTools && { readReply }) },
        { name: agent, policy: model, tokenizer: found.tokenizer ?? wordless, now: this.#options.now },
      );
      const told = surface && asked ? throughSurface(replies, asked, surface) : replies;
      return await this.#completer.complete(told, request, end);
    } catch (error) {
      end();
      if (request.signal.aborted) return new ClientGone(error).toResponse();
      throw error;
    }
  }

  async #reward(request: Request, id: string): Promise<Response> {
    const body = await this.#bodyOf(request);
    const given = rewardIn(body, this.#names, this.#options.agentRewards);
    const first = this.#state.rewards.get(id);
    if (first && isRepeated(given, first)) return jsonResponse(200, { ...this.#describe(id), repeated: true });
    const rollout = this.#openRollout(id);
    if (!rollout) throw unknown(id);
    if (rollout.asking > 0) throw refused("reply_in_the_making", `rollout ${id} still waits for a reply`);
    const isValidation = rollout.split === "validation";
    const group = rollout.group ?? given.group ?? (isValidation ? id : null);
    if (group === null)
      throw invalid(
        "the rollout has no group: name the problem that it is about, as group or by x-rollout-group",
        "group",
      );
    if (given.group !== null && given.group !== group)
      throw refused("group_differs", `rollout ${id} belongs to the group ${group}, not ${given.group}`);
    if (learnersIn(rollout.calls, this.#learners).length === 0)
      throw refused("nothing_to_train", `rollout ${id} has no reply of ${[...this.#learners].join(", ")}`);
    const done = finished(rollout, group, given.reward, given.answer);
    rollout.ending = true;
    try {
      const event = isValidation ? ({ kind: "validated", id, ...validated(done) } as const) : null;
      await this.#options.journal(event ?? { kind: "finished", rollout: done });
    } catch (error) {
      rollout.ending = false;
      throw error;
    }
    this.#openRollout(id, true); // it may have become too old while it was written
    if (isValidation) {
      this.#state.registry.validated(id);
      countValidated(this.#state, validated(done));
    } else this.#state.registry.finish(done);
    rememberReward(this.#state, done);
    this.#state.changed();
    return jsonResponse(200, this.#describe(id));
  }

  #describe(id: string): Record<string, unknown> {
    const ended = this.#state.registry.ended(id);
    const found = this.#state.registry.open.get(id);
    if (!found && ended === null) throw unknown(id);
    const replies = found?.calls.map(({ agent, kind, step, completion }) => ({
      agent,
      kind,
      step,
      tokens: completion.usage.completionTokens,
    }));
    return {
      id,
      step: this.#state.step,
      ...(found ? { state: "open", group: found.group, split: found.split, replies } : ended),
    };
  }

  async #rollouts(request: Request, id: string, action: string): Promise<Response> {
    const { method } = request;
    if (action === "" && method === "GET") return jsonResponse(200, this.#describe(id));
    if (action !== "reward" && action !== "abandon")
      throw new HttpError(404, "invalid_request_error", `a rollout has no ${action || "such request"}`);
    if (method !== "POST") throw new HttpError(405, "invalid_request_error", `${action} takes POST`);
    if (action === "reward") return this.#reward(request, id);
    const rollout = this.#openRollout(id);
    if (!rollout) throw unknown(id);
    await this.#drop(id, "abandoned");
    return jsonResponse(200, this.#describe(id));
  }

  #cardOf(name: string): object {
    return modelCard(name, { max_model_len: this.#agentNamed(name).contextLength });
  }
}

const completionPath = /^\/(?:chat\/completions|completions|responses|messages)$/u;

/** Streams of a model whose tokens are not known here are not cut. */
const wordless = { vocabularySize: 1, endToken: 0, encode: () => [], decode: () => "" };

function rolloutId({ rollout }: Belonging): string {
  if (rollout !== null) return rollout;
  throw invalid(
    "the request names no rollout: send it to /v1/rollouts/ID/..., or with the header x-rollout-id, metadata.rollout_id, or user rollout:ID",
    "rollout",
  );
}

function unknown(id: string): HttpError {
  return new HttpError(404, "invalid_request_error", `there is no rollout ${id}`, null, "rollout_unknown");
}
