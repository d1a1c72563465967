"""Builds small tokenizers in the styles of Qwen, Llama 3, DeepSeek and Mistral, and says how transformers encodes texts and chats.

Reads a JSON object from the first path, writes a JSON object to the second:
  question {folder: where to save the tokenizers, texts: [text], chats: [[{role, content}]], arguments: {name: value}}
  answer   {style: {texts: [[id]], decoded: [text], prompts: [[id]], chats: [[id]], argued: [[id]]}}
Special tokens inside a text are encoded as plain text, as for a user's message. Prompts are what tokenizer(text) gives;
argued chats have the template arguments.
"""

import json
import os
import sys

try:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
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

# How they treat the reasoning of earlier turns is theirs; the rest is shortened.
REASONING_TEMPLATE = r"""{%- set ns = namespace(last=messages|length - 1, search=true) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.search and message.role == "user" and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.search = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- if tools %}
    {{- '<|im_start|>system\n# Tools\n' }}
    {%- for tool in tools %}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role != "assistant" %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- else %}
        {%- set content = message.content %}
        {%- set reasoning = '' %}
        {%- if '</think>' in message.content %}
            {%- set content = message.content.split('</think>')[-1].lstrip('\n') %}
            {%- set reasoning = message.content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or reasoning) %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + reasoning.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}"""

# The marks of whose turn it is are no special tokens here.
DEEPSEEK_TEMPLATE = (
    "{%- set ns = namespace(system='') -%}{%- for message in messages -%}{%- if message['role'] == 'system' -%}"
    "{%- set ns.system = message['content'] -%}{%- endif -%}{%- endfor -%}{{bos_token}}{{ns.system}}"
    "{%- for message in messages -%}{%- if message['role'] == 'user' -%}{{'<｜User｜>' + message['content']}}{%- endif -%}"
    "{%- if message['role'] == 'assistant' -%}{%- set content = message['content'] -%}"
    "{%- if '</think>' in content -%}{%- set content = content.split('</think>')[-1] -%}{%- endif -%}"
    "{{'<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>'}}{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{'<｜Assistant｜><think>\\n'}}{%- endif -%}"
)

MISTRAL_TEMPLATE = (
    "{{ bos_token }}{%- for message in messages %}{%- if message['role'] == 'assistant' %}"
    "{{ ' ' + message['content'] | trim + eos_token }}{%- else %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{%- endif %}"
    "{%- endfor %}"
)


def byte_level(split, normalizer):
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(split), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def metaspace():
    """SentencePiece's way: a space before the first word, single bytes for what has no token."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    return tokenizer, trainers.BpeTrainer(vocab_size=900, special_tokens=special, limit_alphabet=60)


def framed(tokenizer, bos):
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))]),
        ]
    )


def special(*texts):
    return [AddedToken(text, special=True, normalized=False) for text in texts]


def plain(*texts):
    return [AddedToken(text, special=False, normalized=False) for text in texts]


CHATML = special("<|endoftext|>", "<|im_start|>", "<|im_end|>")
LLAMA = special("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>")
DEEPSEEK = special("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>") + plain("<｜User｜>", "<｜Assistant｜>", "<think>", "</think>")
THINK = plain("<think>", "</think>", "<tool_response>", "</tool_response>")

# Tokenizer and trainer, added tokens, what the configuration says, template, and the token put before texts.
STYLES = {
    "qwen": (byte_level(QWEN_SPLIT, normalizers.NFC()), CHATML, {"eos_token": "<|im_end|>"}, QWEN_TEMPLATE, None),
    "qwen3": (
        byte_level(QWEN_SPLIT, normalizers.NFC()),
        CHATML + THINK,
        {"eos_token": "<|im_end|>", "add_bos_token": False},
        REASONING_TEMPLATE,
        None,
    ),
    "llama": (
        byte_level(LLAMA_SPLIT, None),
        LLAMA,
        {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
        LLAMA_TEMPLATE,
        "<|begin_of_text|>",
    ),
    "deepseek": (
        byte_level(QWEN_SPLIT, None),
        DEEPSEEK,
        {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>", "add_bos_token": True, "add_eos_token": False},
        DEEPSEEK_TEMPLATE,
        None,
    ),
    "mistral": (
        metaspace(),
        special("[INST]", "[/INST]"),
        {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True, "add_eos_token": True},
        MISTRAL_TEMPLATE,
        None,
    ),
}


def build(texts, parts, added, config, template, first):
    tokenizer, trainer = parts
    tokenizer.train_from_iterator(texts, trainer)
    # The trainer takes single bytes as special tokens only; in a checkpoint they are entries of the vocabulary.
    stored = json.loads(tokenizer.to_str())
    stored["added_tokens"] = [token for token in stored["added_tokens"] if not token["content"].startswith("<0x")]
    tokenizer = Tokenizer.from_str(json.dumps(stored))
    tokenizer.add_tokens(added)
    if first:
        framed(tokenizer, first)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=template, **config)


with open(sys.argv[1]) as source:
    question = json.load(source)
answers = {}
for name, style in STYLES.items():
    folder = os.path.join(question["folder"], name)
    build(question["texts"], *style).save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    encode = lambda text: tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    chat = lambda messages, **more: tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=False, **more
    )
    ids = [encode(text) for text in question["texts"]]
    answers[name] = {
        "texts": ids,
        "decoded": [tokenizer.decode(each, skip_special_tokens=True, clean_up_tokenization_spaces=False) for each in ids],
        "prompts": [tokenizer(text, split_special_tokens=True)["input_ids"] for text in question["texts"]],
        "chats": [chat(each) for each in question["chats"]],
        "argued": [chat(each, **question["arguments"]) for each in question["chats"]],
    }
with open(sys.argv[2], "w") as target:
    json.dump(answers, target)
