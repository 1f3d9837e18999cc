"""Environments, and a learner that uses all of it."""

import unittest

import numpy as np

import rigor
import rigor.envs


def learn_cart_pole(env, rounds=8, seed=3):
    """The cross-entropy method for a linear policy: every world tries weights of its own, the best decide the next ones."""
    random = np.random.default_rng(seed)
    mean, deviation = np.zeros(4), np.full(4, 2.0)
    best = 0.0
    for _ in range(rounds):
        weights = mean + deviation * random.standard_normal((env.num_envs, 4))
        observations, _ = env.reset(seed=int(random.integers(1 << 30)))
        alive, score = np.ones(env.num_envs, dtype=bool), np.zeros(env.num_envs)
        for _ in range(env.episode_steps):
            actions = np.tanh(np.sum(weights * observations, axis=1))
            observations, rewards, terminated, truncated, _ = env.step(actions)
            score += alive * rewards
            alive &= ~terminated
            if not alive.any():
                break
        elite = weights[np.argsort(-score)[: env.num_envs // 8]]
        mean, deviation = elite.mean(axis=0), elite.std(axis=0) + 0.05
        best = float(np.median(score))
    return mean, best


class EnvTest(unittest.TestCase):
    def test_shapes_seeds_and_restarts(self):
        first, second = rigor.envs.CartPole(8), rigor.envs.CartPole(8, threads=2)
        a, _ = first.reset(seed=5)
        b, _ = second.reset(seed=5)
        np.testing.assert_array_equal(a, b)
        self.assertEqual(a.shape, first.observation_space.shape)
        for _ in range(60):
            results = [env.step(np.ones((8, 1))) for env in (first, second)]
            for x, y in zip(results[0][:4], results[1][:4]):
                np.testing.assert_array_equal(x, y)
        self.assertTrue(np.all(np.isfinite(results[0][0])))

    def test_a_world_that_has_ended_starts_anew(self):
        env = rigor.envs.CartPole(2)
        env.reset(seed=1)
        for _ in range(200):
            observations, rewards, terminated, truncated, _ = env.step(np.ones((2, 1)))
            if terminated.all():
                break
        self.assertTrue(terminated.all())
        observations, rewards, terminated, truncated, _ = env.step(np.zeros((2, 1)))
        self.assertFalse(terminated.any())
        np.testing.assert_array_equal(rewards, [0, 0])

    def test_every_task_runs_stays_finite_and_is_reproducible(self):
        for task in (rigor.envs.CartPole, rigor.envs.Hopper, rigor.envs.ArmReach, rigor.envs.Ant):
            with self.subTest(task=task.__name__):
                random = np.random.default_rng(2)
                environments = [task(6, threads=1), task(6, threads=2)]
                observations = [env.reset(seed=9)[0] for env in environments]
                np.testing.assert_array_equal(*observations)
                for _ in range(60):
                    actions = random.uniform(-1, 1, environments[0].action_space.shape)
                    results = [env.step(actions) for env in environments]
                    for x, y in zip(results[0][:4], results[1][:4]):
                        np.testing.assert_array_equal(x, y)
                self.assertEqual(results[0][0].shape, environments[0].observation_space.shape)
                self.assertTrue(np.all(np.isfinite(results[0][0])))

    def test_a_still_ant_stands(self):
        env = rigor.envs.Ant(2)
        env.reset(seed=1)
        for _ in range(40):
            observations, _, terminated, _, _ = env.step(np.zeros((2, 8)))
        self.assertFalse(terminated.any())
        self.assertGreater(observations[:, 0].min(), 0.3)

    def test_an_arm_is_drawn_to_its_target(self):
        env = rigor.envs.ArmReach(16)
        observations, _ = env.reset(seed=4)
        before = np.linalg.norm(env.hand(observations) - env.target, axis=1).mean()
        x, y = env.target.T
        elbow = np.arccos(np.clip((x**2 + y**2 - 0.41) / 0.4, -1, 1))  # 0.5² + 0.4², 2 · 0.5 · 0.4
        shoulder = np.arctan2(y, x) - np.arctan2(0.4 * np.sin(elbow), 0.5 + 0.4 * np.cos(elbow))
        wanted = np.column_stack([shoulder, elbow])
        for _ in range(140):
            error = wanted - observations[:, :2]
            error[:, 0] = np.angle(np.exp(1j * error[:, 0]))  # the short way round
            observations, *_ = env.step(2 * error - 0.5 * observations[:, 2:4])
        after = np.linalg.norm(env.hand(observations) - env.target, axis=1)
        self.assertLess(after.max(), 0.05 * before)

    def test_a_learner_learns_to_balance(self):
        env = rigor.envs.CartPole(64)
        env.episode_steps = 250
        _, score = learn_cart_pole(env)
        self.assertGreater(score, 240)


if __name__ == "__main__":
    unittest.main()
