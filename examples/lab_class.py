# %% [markdown]
# # A lab class: what a queue costs
#
# Two hours for a class that has heard of queueing theory once. Each cell asks, lets everyone guess,
# then simulates. Opens as a notebook in Jupyter (jupytext), VS Code and marimo, or runs as it is.
#
# You should see: (1) the delay of M/M/1 as theory has it, within the intervals; (2) that a
# deterministic service halves it; (3) that a loss of zero packets is not a loss of zero; (4) that
# TCP fills whatever buffer it gets.

# %%
import sys

import polars as pl

import sojourn as sj

QUICK = "--quick" in sys.argv
DURATION, REPLICAS = ("20 s", 3) if QUICK else ("120 s", 20)


def server(load: float, payload: str, limit: str = "none", **head: object) -> sj.Scenario:
    """A server of 4 Mbit/s, 1000 customers of 500 B a second, under Poisson arrivals."""
    customers = sj.udp(
        sj.source.Poisson(rate=f"{4 * load} Mbit/s"),
        name="customers",
        payload=payload,
        header="0 B",
        from_="a",
        to="b",
    )
    queue = sj.queue.DropTail(limit=limit)
    line = sj.link("a", "b", "4 Mbit/s", duplex=False, name="server", queue=queue)
    return sj.network([line], customers, duration=DURATION, warmup="2 s", replicas=REPLICAS)


def delay_ms(scenario: sj.Scenario) -> tuple[float, float]:
    """The mean wait and half of its 95 % interval, in ms."""
    links = sj.run(scenario).summary()["points"][0]["links"]
    metric = links["server"]["queueing_delay_mean_s"]
    low, high = metric["ci95"]
    return 1e3 * metric["mean"], 1e3 * (high - low) / 2


# %% [markdown]
# **1. M/M/1.** At load rho a customer waits rho / (mu (1 - rho)). Guess: how much longer is the
# wait at 90 % than at 50 %?

# %%
mm1 = {load: delay_ms(server(load, "exponential(500 B)")) for load in (0.5, 0.8, 0.9)}
for load, (mean, half) in mm1.items():
    theory = load / (1 - load)
    print(f"load {load}: {mean:5.2f} ± {half:4.2f} ms, theory {theory:5.2f} ms")

# %% [markdown]
# **2. M/D/1.** Now all packets are of one size. Guess: is the wait shorter, and by how much?

# %%
md1 = delay_ms(server(0.8, "500 B"))
print(f"constant sizes: {md1[0]:5.2f} ± {md1[1]:4.2f} ms, theory {0.8 / (1 - 0.8) / 2:5.2f} ms")

# %% [markdown]
# **3. No loss?** With room for 60 packets at load 0.5 nobody sees a loss. What may one conclude?

# %%
results = sj.run(server(0.5, "exponential(500 B)", limit="60 packets"))
loss = results.summary()["points"][0]["links"]["server"]["loss_ratio"]
print(f"loss seen: {loss['mean']}, yet up to {loss['upper95']:.1e} cannot be ruled out")

# %% [markdown]
# **4. TCP.** One upload behind buffers of rising size. Guess the delay, before you look.

# %%
upload = sj.dumbbell(
    rate="4 Mbit/s",
    rtt="40 ms",
    flows=sj.tcp("cubic"),
    duration="30 s",
    warmup="10 s",
    vary={"dumbbell.bottleneck.queue.limit": ["20 ms", "100 ms", "500 ms"]},
)
results = sj.run(upload)
limit = pl.col("dumbbell.bottleneck.queue.limit").alias("buffer")
bottleneck = results.links.filter(pl.col("link") == "bottleneck").join(results.points, on="point")
tcp = bottleneck.select(
    limit, (1e3 * pl.col("queueing_delay_mean_s")).round(1).alias("waits, ms"), "utilization"
)
print(tcp)
