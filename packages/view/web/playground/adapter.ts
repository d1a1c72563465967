/** What WebGPU would compute on. */
export interface Adapter {
  /** As the browser calls it; empty where it does not say. */
  readonly name: string;
  /** The processor does a graphics card's work: SwiftShader, llvmpipe, WARP. */
  readonly isSoftware: boolean;
}

/** What of WebGPU is used here. */
interface Gpu {
  requestAdapter(): Promise<{
    readonly info?: Readonly<Partial<Record<"vendor" | "architecture" | "description", string>>> & {
      readonly isFallbackAdapter?: boolean;
    };
    /** Where browsers had it before `info`. */
    readonly isFallbackAdapter?: boolean;
  } | null>;
}

/** Browsers that do not say "fallback" say these. */
const softwareNames = /swiftshader|llvmpipe|lavapipe|basic render|\bwarp\b/iu;

/** The adapter of a browser, null where it has none. */
export async function findAdapter(browser: object): Promise<Adapter | null> {
  const { gpu } = browser as { readonly gpu?: Gpu };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return null;
  const { info } = adapter;
  const words = [info?.vendor, info?.architecture, info?.description].filter(
    (each) => each !== undefined && each !== "",
  );
  const name = words.join(" ");
  return {
    name,
    isSoftware: (info?.isFallbackAdapter ?? adapter.isFallbackAdapter ?? false) || softwareNames.test(name),
  };
}

/** Why a run that asked for WebGPU is better off without; null where it is not. */
export function whyNotWebGpu(adapter: Adapter | null): string | null {
  if (adapter === null)
    return "This browser has no WebGPU, has it switched off, or finds no graphics card: the team trains on WebAssembly, which is the same code.";
  return adapter.isSoftware
    ? `WebGPU is no graphics card here: ${adapter.name || "this adapter"} computes on the processor, dozens of times slower than WebAssembly does. The team trains on WebAssembly.`
    : null;
}
