"""Learning environments: runs of which a policy decides one thing, step by step (extra `gym`).

Three things can be decided, each by a native `gymnasium.vector.VectorEnv` over many runs of one scenario: who gets
each slot (`SchedulerEnvs`), the window and pacing rate of senders (`SenderEnvs`), the limit and marks of queues
(`QueueEnvs`). The engine steps them on threads and fills one array for all. `SchedulerEnv`, `SenderEnv` and
`QueueEnv` are the same for one run, registered as `airlink/Scheduler-v0`, `airlink/Sender-v0` and `airlink/Queue-v0`.
`evolve` learns a policy's numbers in any of them. Left out: policies, and other ways to learn.

    import airlink.gym
    from airlink.scenario import ready

    envs = airlink.gym.SchedulerEnvs(ready("lte"), num_envs=64, action="priorities")
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
"""

from airlink.engine import MissingExtra, extra

try:
    extra("gymnasium")
except MissingExtra:
    raise MissingExtra("airlink.gym needs gymnasium; pip install 'airlink[gym]'") from None

from airlink.gym.evolution import Generation, episode, evolve
from airlink.gym.parts import Part, parts
from airlink.gym.queues import QueueEnvs
from airlink.gym.registered import register
from airlink.gym.senders import SenderEnvs
from airlink.gym.single import QueueEnv, SchedulerEnv, SenderEnv
from airlink.gym.slots import SchedulerEnvs

__all__ = [
    "Generation",
    "Part",
    "QueueEnv",
    "QueueEnvs",
    "SchedulerEnv",
    "SchedulerEnvs",
    "SenderEnv",
    "SenderEnvs",
    "episode",
    "evolve",
    "parts",
    "register",
]

register()
