"""Builds small tokenizers in the styles of Qwen2 and Llama 3, and says how transformers encodes texts and chats.

Reads a JSON object from the first path, writes a JSON object to the second:
  question {folder: where to save the tokenizers, texts: [text], chats: [[{role, content}]]}
  answer   {style: {texts: [[id]], decoded: [text], chats: [[id]]}}
Special tokens inside a text are encoded as plain text, as for a user's message.
"""

import json
import os
import sys

try:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

QWEN_SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"

QWEN_TEMPLATE = (
    "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"
)
LLAMA_TEMPLATE = (
    "{{- bos_token }}{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'"
    " + message['content'] | trim + '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"
)

STYLES = {
    "qwen": (QWEN_SPLIT, normalizers.NFC(), ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], None, "<|im_end|>", QWEN_TEMPLATE),
    "llama": (
        LLAMA_SPLIT,
        None,
        ["<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"],
        "<|begin_of_text|>",
        "<|eot_id|>",
        LLAMA_TEMPLATE,
    ),
}


def build(texts, split, normalizer, specials, bos, eos, template):
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(split), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token=eos, chat_template=template)
    fast.add_special_tokens({"additional_special_tokens": specials})
    return fast


with open(sys.argv[1]) as source:
    question = json.load(source)
answers = {}
for name, style in STYLES.items():
    folder = os.path.join(question["folder"], name)
    build(question["texts"], *style).save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    encode = lambda text: tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    ids = [encode(text) for text in question["texts"]]
    answers[name] = {
        "texts": ids,
        "decoded": [tokenizer.decode(each, skip_special_tokens=True, clean_up_tokenization_spaces=False) for each in ids],
        "chats": [
            tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=False)
            for chat in question["chats"]
        ],
    }
with open(sys.argv[2], "w") as target:
    json.dump(answers, target)
