import koffi from "koffi";
import type { Library } from "../src/native/library.ts";
import { aten, Torch } from "../src/native/torch.ts";

const mps = 13;

export interface PretendMps {
  readonly torch: Torch;
  readonly asked: ReadonlySet<string>;
}

/**
 * libtorch on the CPU that simulates MPS. Tensors are on one side; reads from the wrong side and requests for pinned
 * memory fail. Operators in `lacks` fail with PyTorch's message and run on the CPU side.
 */
export function pretendMps(library: Library, lacks: (name: string) => boolean = () => false): PretendMps {
  const names = new Map(Object.values(aten).map((op) => [`${op.nameAddress} ${op.overloadAddress}`, op.name]));
  const asked = new Set<string>();
  /** Handles on the CPU side; all others are on MPS. */
  const onHost = new Set<number>();
  let refusal: string | null = null;
  const { functions } = library;
  const word = (address: number): number => Number((koffi.decode(BigInt(address), "int64_t") as number | bigint) ?? 0);
  const torch = new Torch(
    {
      ...library,
      emptyPinned: null,
      shims: new Map(),
      errorText: () => refusal ?? library.errorText?.() ?? null,
      functions: {
        ...functions,
        emptyStrided(...args) {
          const status = functions.emptyStrided(...args.slice(0, 4), 0, -1, args[6] as number);
          const made = word(args[6] as number);
          if (args[4] === mps) onHost.delete(made);
          else onHost.add(made);
          return status;
        },
        newHandle(from, to) {
          const status = functions.newHandle(from, to);
          if (onHost.has(from as number)) onHost.add(word(to as number));
          else onHost.delete(word(to as number));
          return status;
        },
        deleteHandle(handle) {
          onHost.delete(handle as number);
          return functions.deleteHandle(handle);
        },
        dataPointer(handle, to) {
          if (!onHost.has(handle as number)) throw new Error("the host reads or writes memory of MPS");
          return functions.dataPointer(handle, to);
        },
        callDispatcher(name, overload, stack, version) {
          const called = names.get(`${name} ${overload}`) as string;
          if (!onHost.has(word(stack as number))) {
            asked.add(called);
            if (lacks(called)) {
              refusal = `The operator '${called}' is not currently implemented for the MPS device.`;
              return 1;
            }
          }
          refusal = null;
          return functions.callDispatcher(name, overload, stack, version);
        },
      },
    },
    "mps",
  );
  return { torch, asked };
}
