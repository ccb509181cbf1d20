"""Eight experts, each an MLP on tokens of its own, and their sum. One step of it is in an NVTX range.

    tasktwin rerun --range step --designs chain,graph,streams:2 -o experts.json -- python3 pytorch_experts.py --streams 4

--streams N: over N streams beside the current one, joined by events; 1, the default: all on the current stream.
"""

import argparse

import torch


def step(experts, tokens, streams):
    """The sum of what the experts make of their tokens."""
    current = torch.cuda.current_stream()
    outputs = []
    for number, (expert, tokens_of) in enumerate(zip(experts, tokens)):
        stream = streams[number % len(streams)]
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            outputs.append(expert(tokens_of))
    for stream in streams:
        current.wait_stream(stream)
    return torch.stack(outputs).sum(dim=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=128)
    options = parser.parse_args()
    torch.manual_seed(1)

    def expert():
        layers = torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)
        return torch.nn.Sequential(*layers).to("cuda", torch.bfloat16)

    experts = [expert() for _ in range(8)]
    tokens = [torch.randn(options.tokens, 1024, device="cuda", dtype=torch.bfloat16) for _ in experts]
    streams = [torch.cuda.Stream() for _ in range(options.streams)] if options.streams > 1 else [torch.cuda.current_stream()]
    with torch.no_grad():
        for _ in range(8):
            torch.cuda.nvtx.range_push("step")
            total = step(experts, tokens, streams)
            torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    print(f"mean of the sum: {total.float().mean().item():.6f}")


if __name__ == "__main__":
    main()
