"""What PyTorch says of streams, right and wrong: the default stream, wait_stream, record_stream, backward on the stream of its forward.
usage: pytorch_streams.py [--no-wait | --no-record]"""
import sys

import torch
from torch.cuda import nvtx

WAITS = "--no-wait" not in sys.argv
RECORDS = "--no-record" not in sys.argv
SIZE = 1 << 22
side = torch.cuda.Stream()


def normal_and_sum():
    """A on the default stream, its sum on another."""
    a = torch.empty(SIZE, device="cuda").normal_(0.0, 1.0)
    if WAITS:
        side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        b = torch.sum(a)
    if RECORDS:
        a.record_stream(side)  # its memory is not given out again before `side` has come so far
    del a
    c = torch.zeros(SIZE, device="cuda")  # the allocator may give it A's memory
    torch.cuda.current_stream().wait_stream(side)
    return b + c[0]


def backward(x):
    """The backward of what ran on `side` runs there too, and the current stream waits for it."""
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        loss = (x * x).sum()
    torch.cuda.current_stream().wait_stream(side)
    loss.backward()
    return x.grad * 2


x = torch.randn(SIZE, device="cuda", requires_grad=True)
for step in range(4):
    torch.cuda.synchronize()
    nvtx.range_push("step")
    result = normal_and_sum()
    x.grad = None
    gradient = backward(x)
    torch.cuda.synchronize()
    nvtx.range_pop()
