import { describeFault, type Fault, type ServerFault } from "./faults.ts";
import type { Operation, Program } from "./program.ts";
import type { World } from "./world.ts";

export class FaultSchedule {
  readonly #faults: readonly Fault[];
  readonly #met = new Set<Fault>();
  #isCalm = false;
  /** Share of the next write that fits on a full disk. */
  #room = 0;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  get met(): readonly Fault[] {
    return [...this.#met];
  }

  calm(): void {
    this.#isCalm = true;
  }

  /** Fault of the n-th reply of a server, from 1; null if none. */
  reply(reply: number): ServerFault | null {
    if (this.#isCalm) return null;
    for (const fault of this.#faults) {
      if (fault.kind !== "server" || fault.at !== reply) continue;
      this.#met.add(fault);
      return fault.how;
    }
    return null;
  }

  refusesMemory(world: World): boolean {
    const fault = this.#faults.find(
      (item) => item.kind === "memory" && item.at <= world.events && !this.#met.has(item),
    );
    if (!fault || this.#isCalm) return false;
    this.#meet(world, fault);
    return true;
  }

  /** Applies the faults of an event. @returns the error of a failing operation */
  strike(world: World, program: Program | null, operation: Operation | null): Error | null {
    if (this.#isCalm) return null;
    let failure: Error | null = null;
    for (const fault of this.#faults) {
      if (fault.at > world.events || this.#met.has(fault)) continue;
      failure = this.#strike(fault, world, program, operation) ?? failure;
    }
    if (failure || program?.isAlive === false) return failure; // dead programs do not write
    if (operation?.kind !== "write" || !world.disk.isFull(world.events)) return null;
    if (this.#room > 0) operation.tear?.(this.#room);
    this.#room = 0;
    return systemError("ENOSPC", operation.label);
  }

  #meet(world: World, fault: Fault): void {
    this.#met.add(fault);
    world.note(`fault: ${describeFault(fault)}`);
  }

  #strike(fault: Fault, world: World, program: Program | null, operation: Operation | null): Error | null {
    switch (fault.kind) {
      case "kill":
      case "power":
        if (!program) return null;
        this.#meet(world, fault);
        if (operation?.tear && fault.share > 0) operation.tear(fault.share);
        if (fault.rots) world.disk.rot(fault.rots);
        world.kill(fault.kind, fault.kind === "power" ? undefined : program);
        return null;
      case "error":
        if (operation?.kind !== fault.of) return null;
        this.#meet(world, fault);
        return systemError("EIO", operation.label);
      case "full":
        this.#meet(world, fault);
        world.disk.fillUntil(world.events + fault.events);
        this.#room = fault.share;
        return null;
      case "slow":
        this.#meet(world, fault);
        world.slowUntil = world.events + fault.events;
        return null;
      case "signal":
        if (!program) return null;
        this.#meet(world, fault);
        program.stop.abort("SIGINT");
        return null;
      case "pause":
        if (!program) return null;
        this.#meet(world, fault);
        program.pausedUntil = world.now + fault.ms;
        return null;
      case "jump":
        this.#meet(world, fault);
        // Forward on every clock; backward only on the wall clock.
        if (fault.ms > 0) world.now += fault.ms;
        world.wallOffset += Math.min(0, fault.ms);
        return null;
      case "memory": // the scenario's models check for it
      case "server": // the servers check for it
        return null;
    }
  }
}

function systemError(code: string, label: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${label}`), { code });
}
