"""Log-probs, parameter gradients and an AdamW step of Hugging Face models, for comparison with the engine.

Reads a JSON list of cases from the first path, writes a JSON list of answers to the second:
  case   {config, parameters: {name: {shape, values}}, sequences: [{promptTokens, completionTokens, temperature}],
          dLogProbs: one number per completion token, steps: AdamW settings, one per step on the same gradient}
  answer {logProbs, entropy, gradients: {name: values}, gradNorm, stepped: {name: values}}
A case with `"head": "scalar"` is a sequence classifier of one label: its dLogProbs are those of values, and it answers
         {values, gradients}: a value for each state that a completion token is predicted from, or null.
Everything is computed in float64 by autograd, one sequence at a time.
"""

import json
import sys

try:
    import torch

    # Transformers casts norms, softmax and rotary angles to float32 by these names; here they mean float64.
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)

    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

def build(case):
    scalar = case.get("head") == "scalar"
    config = AutoConfig.for_model(**case["config"], **({"num_labels": 1} if scalar else {}))
    make = AutoModelForSequenceClassification if scalar else AutoModelForCausalLM
    model = make.from_config(config, attn_implementation="eager").to(torch.float64).eval()
    state = {
        name: torch.tensor(entry["values"], dtype=torch.float64).reshape(entry["shape"])
        for name, entry in case["parameters"].items()
    }
    if config.tie_word_embeddings and not scalar:
        state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state, strict=True)
    if not scalar:
        model.tie_weights()
    return model


def values_answer(case):
    try:
        model = build(case)
    except ValueError:
        return None  # The family has no classifier.
    values = []
    for sequence in case["sequences"]:
        prompt, completion = sequence["promptTokens"], sequence["completionTokens"]
        # The classifier pools the last token alone; a critic reads its score everywhere.
        hidden = model.model(torch.tensor([prompt + completion])).last_hidden_state
        values.append(model.score(hidden)[0, len(prompt) - 1 : -1, 0])
        pooled = model(torch.tensor([(prompt + completion)[:-1]])).logits[0, 0]
        assert torch.isclose(pooled, values[-1][-1], atol=1e-12), "the classifier's own answer is the last value"
    values = torch.cat(values)
    (values * torch.tensor(case["dLogProbs"], dtype=torch.float64)).sum().backward()
    gradients = {name: parameter.grad.flatten().tolist() for name, parameter in model.named_parameters()}
    return {"values": values.tolist(), "gradients": gradients}


def answer(case):
    if case.get("head") == "scalar":
        return values_answer(case)
    model = build(case)
    log_probs, entropy = [], []
    for sequence in case["sequences"]:
        prompt, completion = sequence["promptTokens"], sequence["completionTokens"]
        if not completion:
            continue
        logits = model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
        log_p = torch.log_softmax(logits / sequence["temperature"], dim=-1)
        log_probs.append(log_p.gather(1, torch.tensor(completion)[:, None])[:, 0])
        entropy.append(-(log_p.exp() * log_p).sum(-1))
    log_probs = torch.cat(log_probs)
    (log_probs * torch.tensor(case["dLogProbs"], dtype=torch.float64)).sum().backward()
    gradients = {name: parameter.grad.flatten().tolist() for name, parameter in model.named_parameters()}
    grad_norm = step(model, case["steps"])
    return {
        "logProbs": log_probs.tolist(),
        "entropy": torch.cat(entropy).tolist(),
        "gradients": gradients,
        "gradNorm": grad_norm,
        "stepped": {name: parameter.flatten().tolist() for name, parameter in model.named_parameters()},
    }


def step(model, steps):
    """Steps on the same unclipped gradient each time; matrices decay, norms and biases do not. Returns its norm."""
    parameters = list(model.parameters())
    raw = [parameter.grad.clone() for parameter in parameters]
    norm = torch.cat([gradient.flatten() for gradient in raw]).norm().item()
    first = steps[0]
    optimizer = torch.optim.AdamW(
        [{"params": [p for p in parameters if p.dim() >= 2]}, {"params": [p for p in parameters if p.dim() < 2]}],
        betas=(first["beta1"], first["beta2"]),
        eps=first["epsilon"],
    )
    for settings in steps:
        # clip_grad_norm_ would add 1e-6 to the norm.
        scale = min(1.0, (settings["maxGradNorm"] or float("inf")) / norm)
        for parameter, gradient in zip(parameters, raw):
            parameter.grad = gradient * scale
        for group, decay in zip(optimizer.param_groups, [settings["weightDecay"], 0]):
            group["lr"], group["weight_decay"] = settings["learningRate"], decay
        optimizer.step()
    return norm


with open(sys.argv[1]) as source:
    cases = json.load(source)
with open(sys.argv[2], "w") as target:
    json.dump([answer(case) for case in cases], target)
