import { isRecord, type AgentId } from "@laconic/core";
import { samplingFields } from "@laconic/core/backends";
import { Completer } from "../completer.ts";
import { answerModels, enter, readReplyRequest, type AskedReplies } from "../endpoint.ts";
import { clientGone, HttpError, invalid, jsonResponse, modelCard, noModel, noPath, readJson } from "../http.ts";
import { chatJob, checkPromptLength, completionJob, isSameCalls, type Job } from "../jobs.ts";
import { modelIn } from "../parse.ts";
import { repliesTo } from "../run-job.ts";
import { behind } from "./admission.ts";
import { finished, validated } from "./rollout-record.ts";
import type { GatewayAgent, GatewaySettings } from "./gateway-options.ts";
import { belongingOf, checkId, isRepeated, rewardIn, countValidated, rememberReward } from "./gateway-requests.ts";
import type { Belonging, GatewayState } from "./gateway-requests.ts";
import { recordingModel, refused, staleRollout } from "./recording-model.ts";
import type { RegistryEntry, Split } from "./rollout-registry.ts";

export class GatewayRoutes {
  readonly #options: GatewaySettings;
  readonly #state: GatewayState;
  readonly #names: readonly string[];
  readonly #completer: Completer;

  constructor(options: GatewaySettings, state: GatewayState) {
    [this.#options, this.#state] = [options, state];
    this.#names = Object.keys(options.agents);
    this.#completer = new Completer(options);
  }

  async answer(request: Request): Promise<Response> {
    const path = enter(request, this.#options, () => ({
      running: this.#completer.running,
      step: this.#state.step,
    }));
    if (path instanceof Response) return path;
    const [, named, id = null, rest = ""] = /^(?:\/v1)?(\/rollouts)\/([^/]+)(?:\/v1)?(?:\/(.*))?$/u.exec(path) ?? [];
    const subpath = named === undefined ? path.replace(/^\/v1/u, "") : `/${rest}`;
    if (id !== null) checkId(id, "rollout");
    const models = answerModels(request, subpath, this.#names, (name) =>
      modelCard(name, { max_model_len: this.#agentNamed(name).contextLength }),
    );
    if (models) return models;
    const asked = await readReplyRequest(request, subpath, this.#options.maxBodyBytes);
    if (asked) return this.#complete(request, asked, id);
    if (id !== null) return this.#answerRollout(request, id, rest);
    throw noPath(path);
  }

  #agentNamed(name: string): Required<GatewayAgent> {
    const { agents } = this.#options;
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (agent) return agent;
    throw noModel(name, this.#names);
  }

  #openRollout(id: string, isEnding = false): RegistryEntry | null {
    const open = this.#state.registry.open.get(id);
    if (open?.ending && !isEnding) throw refused("rollout_ended", `rollout ${id} has its reward`);
    if (open) return open;
    const ended = this.#state.registry.ended(id);
    if (ended === null) return null;
    if (ended.state !== "dropped") throw refused("rollout_ended", `rollout ${id} has its reward`);
    if (ended.reason === "stale") throw staleRollout(this.#state.step ?? 0);
    throw refused(`rollout_${ended.reason}`, `rollout ${id} was dropped (${ended.reason}); begin a new one`, 404);
  }

  #knownRollout(id: string): RegistryEntry {
    const rollout = this.#openRollout(id);
    if (rollout) return rollout;
    throw unknown(id);
  }

  async #rolloutOf({ rollout: id, group, split }: Belonging, signal: AbortSignal): Promise<RegistryEntry> {
    if (id === null)
      throw invalid(
        "rollout id missing: send the request to /v1/rollouts/ID/..., or set the header x-rollout-id, metadata.rollout_id, or user rollout:ID",
        "rollout",
      );
    const rollout = this.#openRollout(id) ?? (await this.#begin(id, group, split ?? "train", signal));
    rollout.opened ??= this.#options.journal({ kind: "opened", id }).catch((error: unknown) => {
      this.#state.registry.open.delete(id);
      throw error;
    });
    await rollout.opened; // a concurrent request of the rollout may have started it
    if (group !== null && rollout.group !== null && rollout.group !== group) throw otherGroup(id, rollout.group, group);
    if (split !== null && split !== rollout.split)
      throw refused("split_differs", `rollout ${id} began with split ${rollout.split}, got ${split}`);
    rollout.group ??= group;
    rollout.touched = this.#options.now();
    return rollout;
  }

  async #begin(id: string, group: string | null, split: Split, signal: AbortSignal): Promise<RegistryEntry> {
    const { admission, registry } = this.#state;
    const { maxOpen, maxWaiting } = this.#options.limits;
    if (registry.open.size + admission.held >= maxOpen)
      throw new HttpError(429, `${maxOpen} rollouts are already open`, null, "rollouts_open");
    if (split !== "validation" && registry.waiting >= maxWaiting)
      throw behind(`${registry.waiting} rollouts wait for training`);
    return admission.begin(id, group, split, signal);
  }

  #checkSampling(body: AskedReplies["body"]): void {
    const expected = samplingFields("openai-extended", this.#options.sampling, "all");
    const other = Object.keys(expected).find((key) => body[key] !== undefined && body[key] !== expected[key]);
    if (other === undefined) return;
    if (this.#options.otherSampling === "refuse")
      throw invalid(
        `${other}: expected ${JSON.stringify(expected[other])}, as in this run, got ${JSON.stringify(body[other])}`,
        other,
      );
    this.#state.otherSampling += 1;
  }

  #jobOf({ isChat, body }: AskedReplies, rollout: RegistryEntry, agent: AgentId): Job {
    this.#checkSampling(body);
    const { tokenizer, contextLength } = this.#agentNamed(agent);
    const { defaultMaxTokens, tools } = this.#options;
    const textOf: Parameters<typeof chatJob>[1]["textOf"] = (calls) =>
      rollout.calls.find((call) => call.agent === agent && isSameCalls(call.tools, calls))?.completion.text ?? null;
    const job = isChat ? chatJob(body, { defaultMaxTokens, tools, textOf }) : completionJob(body, defaultMaxTokens);
    const [rule] = job.rules;
    // A redrawn reply is not a sample of the policy.
    if (rule) throw invalid(`${rule.parameter}: not supported in training; remove it`, rule.parameter);
    if (job.count !== 1) throw invalid("n: expected 1 reply per request of a rollout", "n");
    if (job.echo) throw invalid("echo: not supported in training; remove it", "echo");
    if (tokenizer) for (const prompt of job.prompts) checkPromptLength(prompt, tokenizer, contextLength);
    return job;
  }

  async #complete(request: Request, asked: AskedReplies, idInPath: string | null): Promise<Response> {
    const belonging = belongingOf(asked.body, request.headers, idInPath);
    const agent = modelIn(asked.body);
    const { tokenizer } = this.#agentNamed(agent);
    const rollout = await this.#rolloutOf(belonging, request.signal);
    const job = this.#jobOf(asked, rollout, agent);
    let leave = (): void => undefined;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      rollout.asking -= 1;
      rollout.touched = this.#options.now();
      leave();
    };
    rollout.asking += 1;
    try {
      leave = await this.#state.gate.enter(request.signal);
      this.#openRollout(rollout.id); // it may have ended during the wait
      const hasTools = job.readReply !== undefined;
      const { model, readReply } = recordingModel(this.#options, this.#state, rollout, {
        agent,
        seed: String(job.seed ?? ""),
        hasTools,
        idempotencyKey: request.headers.get("idempotency-key"),
      });
      const facts = { system_fingerprint: `step-${this.#state.step}` };
      const replies = repliesTo(
        { ...job, facts, ...(hasTools && { readReply }) },
        { name: agent, policy: model, tokenizer: tokenizer ?? wordless, now: this.#options.now },
      );
      return await this.#completer.complete(asked.tell(replies), request, end);
    } catch (error) {
      end();
      throw request.signal.aborted ? clientGone() : error;
    }
  }

  async #answerRollout(request: Request, id: string, action: string): Promise<Response> {
    const { method } = request;
    if (action === "" && method === "GET") return jsonResponse(200, this.#describe(id));
    if (action !== "reward" && action !== "abandon")
      throw new HttpError(404, `rollout action ${action || "GET"} not found`);
    if (method !== "POST") throw new HttpError(405, `${action}: expected POST`);
    if (action === "reward") return jsonResponse(200, await this.#reward(request, id));
    this.#knownRollout(id);
    await this.#state.drop(id, "abandoned");
    return jsonResponse(200, this.#describe(id));
  }

  async #reward(request: Request, id: string): Promise<object> {
    const { agents, agentRewards, journal, maxBodyBytes } = this.#options;
    const body = await readJson(request, maxBodyBytes);
    if (!isRecord(body)) throw invalid("expected a JSON object as body");
    const report = rewardIn(body, this.#names, agentRewards);
    const first = this.#state.rewards.get(id);
    if (first && isRepeated(report, first)) return { ...this.#describe(id), repeated: true };
    const rollout = this.#knownRollout(id);
    if (rollout.asking > 0) throw refused("reply_in_the_making", `rollout ${id} still waits for a reply`);
    const isValidation = rollout.split === "validation";
    const group = rollout.group ?? report.group ?? (isValidation ? id : null);
    if (group === null)
      throw invalid("the rollout has no group; set group or x-rollout-group to its problem's name", "group");
    if (report.group !== null && report.group !== group) throw otherGroup(id, group, report.group);
    if (!rollout.calls.some(({ agent, completion }) => agents[agent]?.learns && completion.trace)) {
      const learners = this.#names.filter((name) => agents[name]?.learns);
      throw refused("nothing_to_train", `rollout ${id} has no reply of ${learners.join(", ")}`);
    }
    const done = finished(rollout, group, report.reward, report.answer);
    rollout.ending = true;
    try {
      await journal(isValidation ? { kind: "validated", id, ...validated(done) } : { kind: "finished", rollout: done });
    } catch (error) {
      rollout.ending = false;
      throw error;
    }
    this.#openRollout(id, true); // it may have become stale during the write
    if (isValidation) {
      this.#state.registry.validated(id);
      countValidated(this.#state, validated(done));
    } else this.#state.registry.finish(done);
    rememberReward(this.#state, done);
    this.#state.changed();
    return this.#describe(id);
  }

  #describe(id: string): Record<string, unknown> {
    const ended = this.#state.registry.ended(id);
    const open = this.#state.registry.open.get(id);
    if (!open && ended === null) throw unknown(id);
    const replies = open?.calls.map(({ agent, kind, step, completion }) => ({
      agent,
      kind,
      step,
      tokens: completion.usage.completionTokens,
    }));
    return {
      id,
      step: this.#state.step,
      ...(open ? { state: "open", group: open.group, split: open.split, replies } : ended),
    };
  }
}

/** Streams of a model without a tokenizer are not cut. */
const wordless = { vocabularySize: 1, endToken: 0, encode: () => [], decode: () => "" };

function otherGroup(id: string, group: string, other: string): HttpError {
  return refused("group_differs", `rollout ${id} belongs to group ${group}, got ${other}`);
}

function unknown(id: string): HttpError {
  return new HttpError(404, `rollout ${id} not found`, null, "rollout_unknown");
}
