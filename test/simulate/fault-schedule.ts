import { describeFault, type Fault, type ServerFault } from "./faults.ts";
import type { Operation, Program } from "./program.ts";
import type { World } from "./world.ts";

/** Which of a seed's faults have come to pass, and what each does to the machine. */
export class FaultSchedule {
  readonly #faults: readonly Fault[];
  readonly #met = new Set<Fault>();
  #isCalm = false;
  /** Share of the next write that a full disk has room for. */
  #room = 0;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** Faults that came to pass. */
  get met(): readonly Fault[] {
    return [...this.#met];
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true;
  }

  /** What goes wrong with the n-th reply of a server, from 1; null where nothing does. */
  reply(reply: number): ServerFault | null {
    if (this.#isCalm) return null;
    for (const fault of this.#faults) {
      if (fault.kind !== "server" || fault.at !== reply) continue;
      this.#met.add(fault);
      return fault.how;
    }
    return null;
  }

  /** Whether a device has no memory for what is asked of it now. */
  refusesMemory(world: World): boolean {
    const fault = this.#faults.find(
      (each) => each.kind === "memory" && each.at <= world.events && !this.#met.has(each),
    );
    if (!fault || this.#isCalm) return false;
    this.#meet(world, fault);
    return true;
  }

  /** What goes wrong at an event. @returns the error of an operation that fails */
  strike(world: World, program: Program | null, operation: Operation | null): Error | null {
    if (this.#isCalm) return null;
    let failure: Error | null = null;
    for (const fault of this.#faults) {
      if (fault.at > world.events || this.#met.has(fault)) continue;
      failure = this.#strike(fault, world, program, operation) ?? failure;
    }
    if (failure || program?.isAlive === false) return failure; // who is dead writes nothing more
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
        // Forward on every clock; back on the one that people set.
        if (fault.ms > 0) world.now += fault.ms;
        world.wallOffset += Math.min(0, fault.ms);
        return null;
      case "memory": // of a device: the scenario's models ask for it
      case "server": // of a reply: its servers do
        return null;
    }
  }
}

function systemError(code: string, label: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${label}`), { code });
}
