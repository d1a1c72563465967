import { cpus, totalmem } from "node:os";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { probeDevices } from "../run/devices.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

export function doctorCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "doctor",
      description: "Say what this machine can run on, and what is missing",
      args: jsonFlag,
      run: async ({ json }) => {
        const devices = await probeDevices();
        const machine = {
          node: process.version,
          cpu: cpus()[0]?.model ?? "unknown",
          cores: cpus().length,
          memoryGiB: Math.round(totalmem() / 2 ** 30),
        };
        if (json) terminal.result(JSON.stringify({ ...machine, devices }));
        else {
          terminal.result(`node ${machine.node}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGiB} GiB`);
          for (const { name, works, detail, about } of devices)
            terminal.result(`${works ? "ok     " : "missing"} ${name}: ${detail} (${about})`);
        }
        return devices.some((device) => device.works) ? 0 : 1;
      },
    },
    exit,
  );
}
