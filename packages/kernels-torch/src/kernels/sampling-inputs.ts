import type { SamplingKind, SamplingOnDevice } from "@laconic/engine/kernels";
import type { SamplingName } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import { scalarType, type ScalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Torch } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { TorchTensor } from "../tensors.ts";

export class SamplingInputs {
  readonly kind: SamplingKind;
  readonly rows: number;
  readonly #device: TorchDevice;
  readonly #settings: TorchTensor;
  readonly #given: SamplingOnDevice;

  constructor(device: TorchDevice, samplingOnDevice: SamplingOnDevice) {
    this.kind = samplingOnDevice.kind;
    this.#device = device;
    this.#given = samplingOnDevice;
    this.#settings = device.store.get(samplingOnDevice.settings);
    this.rows = this.#settings.shape[0]!;
  }

  /** float32 [B, 1]. */
  setting(name: SamplingName): Handle {
    const stride = [kernelSampling.length, 1];
    return this.#device.torch.view(this.#settings.handle, [this.rows, 1], stride, kernelSampling.indexOf(name));
  }

  /** float32 [B, 1]. */
  uniform(): Handle {
    const { uniforms, column } = this.#given;
    const width = uniforms.shape[1]!;
    return this.#device.torch.view(this.#device.handle(uniforms), [this.rows, 1], [width, 1], column);
  }

  /** float32 [B, 1]; 1 for greedy rows. */
  inverseTemperature(): Handle {
    return this.#derive("inverse temperature", (torch) =>
      torch.call(aten.reciprocal, torch.call(aten.where, this.greedy(), this.number(1), this.setting("temperature"))),
    );
  }

  /** bool [B, 1]. */
  greedy(): Handle {
    return this.#derive("greedy", (torch) => torch.call(aten.equal, this.setting("temperature"), this.number(0)));
  }

  /** 1 or 0; float32 [B, 1]. */
  hasTopK(): Handle {
    return this.#derive("has top-k", (torch) =>
      torch.cast(torch.call(aten.greater, this.setting("topK"), this.number(0)), scalarType.float32),
    );
  }

  /** 1 or 0; float32 [B, 1]. */
  hasTopP(): Handle {
    return this.#derive("has top-p", (torch) =>
      torch.cast(torch.call(aten.less, this.setting("topP"), this.number(1)), scalarType.float32),
    );
  }

  /** 1 for a top-p without top-k, else 0; float32 [B, 1]. */
  hasOpenTopP(): Handle {
    return this.#derive("has open top-p", (torch) =>
      torch.multiply(this.hasTopP(), torch.subtract(this.number(1), this.hasTopK())),
    );
  }

  /** Rank of the last token kept by top-k, or `width - 1`. float32 [B, 1]. */
  lastOfTopK(width: number): Handle {
    return this.#derive(`last of top-k ${width}`, (torch) => {
      const last = torch.subtract(torch.call(aten.maximum, this.setting("topK"), this.number(1)), this.number(1));
      const bounded = torch.call(aten.minimum, last, this.number(width - 1));
      const limited = torch.call(aten.greater, this.hasTopK(), this.number(0));
      return torch.call(aten.where, limited, bounded, this.number(width - 1));
    });
  }

  /** 0, 1, 2, ..., [1, count]. */
  counting(count: number, type: ScalarType): Handle {
    return this.#derive(`counting to ${count} ${type}`, (torch) =>
      torch.subtract(torch.runningSums(torch.full([1, count], type, 1)), torch.full([1], type, 1)),
    );
  }

  number(value: number, type: ScalarType = scalarType.float32): Handle {
    return this.#derive(`number ${value} ${type}`, (torch) => torch.full([1], type, value));
  }

  #derive(name: string, make: (torch: Torch) => Handle): Handle {
    const { store, torch } = this.#device;
    return store.derive(this.#settings, name, () => make(torch));
  }
}
