import { LaconicError } from "@laconic/core";
import type { FleetClock } from "./clock.ts";
import type { FleetOptions } from "./fleet-options.ts";
import type { Member } from "./member.ts";
import type { SamplingServer } from "./servers/sampling-server.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

export const leftOut = "; the server is in quarantine until it passes a probe";

export interface RecoveryOptions extends Pick<FleetOptions, "onNote" | "onQuarantine" | "patienceMs"> {
  readonly members: readonly Member[];
  readonly waiting: WaitingRequests;
  readonly clock: FleetClock;
  /** Probe of quarantined servers; null keeps them excluded. */
  readonly probe: () => ((server: SamplingServer) => Promise<unknown>) | null;
  readonly isClosed: () => boolean;
  readonly onChanged: () => void;
}

/** Checks paused servers and probes quarantined ones. Fails requests if no server works for too long. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #patienceMs: number;
  /** Every server is quarantined and each is being probed. */
  #lastChance = false;
  #workedAtMs: number;
  #waitedSinceMs = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? 600_000;
    this.#workedAtMs = options.clock.nowMs();
  }

  worked(): void {
    this.#workedAtMs = this.#options.clock.nowMs();
  }

  waits(): void {
    this.#waitedSinceMs = this.#options.clock.nowMs();
  }

  /** Every server is quarantined and none is being probed. */
  get isHopeless(): boolean {
    return !this.#lastChance && this.#options.members.every(({ state }) => state === "quarantined");
  }

  get reasons(): string {
    return this.#options.members.flatMap(({ reason }) => reason ?? []).join("; ");
  }

  /** @throws LaconicError `api_unavailable` if no server has worked for too long */
  checkPatience(beganMs: number): void {
    const sinceMs = Math.max(beganMs, this.#workedAtMs);
    if (this.#options.clock.nowMs() - sinceMs > this.#patienceMs) throw this.#impatience();
  }

  /** Returns milliseconds until the next check; null without a waiting request. */
  look(): number | null {
    const { members, waiting, clock, onNote, onChanged, isClosed } = this.#options;
    const now = clock.nowMs();
    const probe = this.#options.probe();
    for (const member of members) {
      const { state, checking, retryAtMs } = member;
      if (checking || retryAtMs > now) continue;
      if (state === "paused")
        void member.check().then((isHealthy) => {
          if (isHealthy) onNote?.(`${member.url}: recovered`);
          onChanged();
        });
      else if (state === "quarantined" && probe && !isClosed()) void this.#readmit(member).then(onChanged);
    }
    const sinceMs = Math.max(this.#workedAtMs, this.#waitedSinceMs);
    const isDown = members.every(({ state }) => state !== "up");
    if (isDown && waiting.count > 0 && now - sinceMs > this.#patienceMs) {
      waiting.failAll(this.#impatience());
      return null;
    }
    const retries = members.flatMap(({ state, checking, retryAtMs }) =>
      !checking && (state === "paused" || (state === "quarantined" && probe)) ? [retryAtMs] : [],
    );
    const next = Math.min(...retries);
    return waiting.count > 0 && Number.isFinite(next) ? Math.max(1, next - now) : null;
  }

  tell({ url, state }: Member, reason: string, consequence: string): void {
    const { onNote, onQuarantine = ({ message }) => onNote?.(message) } = this.#options;
    const message = `${reason}${consequence}`;
    onQuarantine({ server: url, state: state === "quarantined" ? state : "up", reason, message });
  }

  /** Probes all servers at once when every one is quarantined. If none passes, all requests fail. */
  failIfNone(error: LaconicError): void {
    if (!this.isHopeless) return;
    this.#lastChance = true;
    void this.#probeAll(error);
  }

  async #probeAll(last: LaconicError): Promise<void> {
    const { members, waiting, onChanged, probe } = this.#options;
    const idle = probe() ? members.filter(({ checking }) => !checking) : [];
    await Promise.all(idle.map((member) => this.#readmit(member)));
    this.#lastChance = false;
    if (this.isHopeless)
      waiting.failAll(new LaconicError(last.code, `all servers are in quarantine: ${this.reasons}`, last.detail, last));
    onChanged();
  }

  async #readmit(member: Member): Promise<void> {
    const probe = this.#options.probe();
    if (probe && (await member.readmit(probe)))
      this.tell(member, `${member.url}: passed a probe`, " and is used again");
  }

  #impatience(): LaconicError {
    const seconds = Math.round(this.#patienceMs / 1000);
    return new LaconicError("api_unavailable", `no server of the fleet worked for ${seconds} s: ${this.reasons}`);
  }
}
