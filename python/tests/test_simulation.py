"""Steps, views, events, callbacks, threads, scenes and measurements from Python."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import unittest

import numpy as np

import rigor


def stack(count=5):
    world = rigor.World()
    for i in range(count):
        world.add_body(rigor.box(1, 1, 1), (0.01 * i, 0.5 + i, 0), name=f"box{i}")
    return world


class ViewTest(unittest.TestCase):
    def test_views_read_and_write_the_simulation(self):
        sim = rigor.Simulation(stack())
        state = sim.state
        self.assertEqual(state.position.shape, (len(state), 3))
        row = state.bodies.index(sim.world.body("box2"))
        np.testing.assert_array_equal(state.position[row], sim.world.body("box2").center_of_mass)
        state.velocity[row] = (0, 0, 4)
        np.testing.assert_array_equal(sim.world.body("box2").velocity, [0, 0, 4])
        state.velocity += 1.0
        np.testing.assert_array_equal(sim.world.body("box2").velocity, [1, 1, 5])

    def test_views_follow_the_steps_and_work_in_numpy(self):
        sim = rigor.Simulation(stack(1))
        state = sim.state
        before = state.position.copy()
        sim.step()
        self.assertFalse(np.array_equal(before, state.position))
        self.assertEqual(np.linalg.norm(state.velocity, axis=1).shape, (len(state),))
        self.assertEqual((state.position + state.velocity).shape, state.position.shape)
        self.assertAlmostEqual(float(np.mean(state.position * 2)), 2 * float(np.mean(state.position)))

    def test_views_raise_once_bodies_have_changed(self):
        sim = rigor.Simulation(stack())
        state = sim.state
        velocity = state.velocity
        sim.world.add_body(rigor.sphere(0.1), (9, 9, 9))
        self.assertFalse(state.is_valid)
        for use in (lambda: velocity[0], lambda: velocity + 1, lambda: np.asarray(velocity), lambda: velocity.shape):
            with self.assertRaisesRegex(rigor.Error, "take them again"):
                use()
        with self.assertRaisesRegex(rigor.Error, "take them again"):
            velocity[0] = (1, 2, 3)

    def test_numbers_that_are_not_finite_are_refused(self):
        state = rigor.Simulation(stack()).state
        with self.assertRaisesRegex(rigor.Error, "finite"):
            state.velocity[0] = (np.nan, 0, 0)
        with self.assertRaisesRegex(rigor.Error, "only be read"):
            state.inverse_mass[0] = 1

    def test_numpy_gets_copies_and_cannot_write_past_the_checks(self):
        sim = rigor.Simulation(stack())
        velocity = sim.state.velocity
        flat = np.ravel(velocity)
        flat[:] = 99
        self.assertEqual(float(np.max(velocity)), 0)
        with self.assertRaises(TypeError):
            np.copyto(velocity, np.nan)
        with self.assertRaises(TypeError):
            np.add.at(velocity, 0, 1.0)
        with self.assertRaisesRegex(rigor.Error, "only be read"):
            sim.state.force[0] = (1, 0, 0)

    def test_orientations_stay_unit_and_the_world_body_stays(self):
        sim = rigor.Simulation(stack())
        state = sim.state
        state.orientation[0] = (2, 0, 0, 0)
        np.testing.assert_array_equal(state.orientation[0], [1, 0, 0, 0])
        row = state.bodies.index(sim.world.world_body)
        state.position += 1
        np.testing.assert_array_equal(state.position[row], [0, 0, 0])
        np.clip(state.velocity, -1, 1, out=state.velocity)
        with self.assertRaises(rigor.Error):
            rigor.Simulation(stack(1), method=3)

    def test_user_forces_written_to_a_view_act(self):
        world = rigor.World(gravity=(0, 0, 0), ground=False)
        world.add_body(rigor.sphere(0.1), mass=2.0, name="ball")
        sim = rigor.Simulation(world, step=0.01)
        state = sim.state
        state.user_force[state.bodies.index(sim.world.body("ball"))] = (4, 0, 0)
        sim.step(100)
        np.testing.assert_allclose(sim.world.body("ball").velocity, [2, 0, 0], atol=1e-9)

    def test_a_view_outlives_its_simulation(self):
        velocity = rigor.Simulation(stack()).state.velocity
        gc.collect()
        self.assertEqual(velocity.shape[1], 3)


class StepTest(unittest.TestCase):
    def test_saved_runs_go_on_bit_for_bit(self):
        sim = rigor.Simulation(stack())
        sim.step(30)
        snapshot = sim.save()
        sim.step(30)
        expected = sim.hash
        sim.restore(snapshot)
        sim.step(30)
        self.assertEqual(sim.hash, expected)

    def test_events_and_contacts(self):
        world = rigor.World()
        world.add_body(rigor.sphere(0.5), (0, 0.6, 0), name="ball")
        sim = rigor.Simulation(world)
        heard = []
        sim.on_event(lambda s, event: heard.append((event["kind"], event["a"].name)))
        sim.step(30)
        self.assertIn("contact-begin", [kind for kind, _ in heard])
        contacts = sim.contacts
        self.assertEqual(contacts["normal"].shape, (1, 3))
        np.testing.assert_allclose(np.abs(contacts["normal"][0]), [0, 1, 0])
        names = [sim.world.bodies[i].name for i in contacts["bodies"][0]]
        self.assertEqual(sorted(names), ["ball", "ground"])
        weight = sim.world.body("ball").mass * 9.81 * sim.time_step
        self.assertAlmostEqual(contacts["impulse"][0][1] / weight, 1, places=2)
        sim.on_event(None)

    def test_callbacks_see_the_world_and_cannot_step_it(self):
        sim = rigor.Simulation(stack())
        seen = []
        sim.before_step(lambda s: seen.append(s.world.body("box0").position[1]))
        sim.step(3)
        self.assertEqual(len(seen), 3)
        sim.before_step(lambda s: s.step())
        with self.assertRaisesRegex(rigor.Error, "another step"):
            sim.step()
        sim.before_step(None)
        sim.step()

    def test_copies_do_without_callbacks_written_in_python(self):
        sim = rigor.Simulation(stack(1))
        calls = []
        sim.before_step(lambda s: calls.append("before"))
        sim.after_step(lambda s: calls.append("after"))
        sim.on_event(lambda s, e: calls.append("event"))
        sim.add_validator(lambda world, time: calls.append("validator") or [])
        sim.copy().step(3)
        self.assertEqual(calls, [])
        sim.step()
        self.assertIn("before", calls)
        with self.assertRaisesRegex(rigor.Error, "callbacks"):
            rigor.Batch(sim, 2)
        sim.before_step(None)
        sim.after_step(None)
        self.assertEqual(len(rigor.Batch(sim, 2)), 2)

    def test_drives_of_a_scene_act_beside_a_callback(self):
        text = json.loads(rigor.world_to_json(self.motor_world()))
        text["world"]["drives"] = [{"joint": "pivot", "keys": [[0, 2]]}]
        scene = rigor.Scene.parse(json.dumps(text))
        for callback in (None, lambda s: None):
            sim = scene.simulate(step=1e-3)
            sim.before_step(callback)
            sim.step(200)
            self.assertAlmostEqual(sim.world.joint("pivot").velocity(3), 2, places=2)

    def motor_world(self):
        world = rigor.World(gravity=(0, 0, 0), ground=False)
        rod = world.add_body(rigor.box(1, 0.1, 0.1), (0.5, 0, 0), name="rod")
        world.add_joint("hinge", world.world_body, rod, anchor=(0, 0, 0), axis=(0, 0, 1), name="pivot", motor="velocity",
                        motor_target=0.0, motor_force=1e4)
        return world

    def test_validators_written_in_python_report(self):
        sim = rigor.Simulation(stack(1))
        sim.add_validator(lambda world, time: ["all is well"] if len(world) else [])
        sim.step()
        self.assertIn("all is well", " ".join(sim.take_reports()))

    def test_methods_are_swapped_while_it_runs(self):
        sim = rigor.Simulation(stack())
        sim.step(10)
        sim.method = "tgs"
        sim.step(10)
        self.assertEqual(sim.method.preset, "tgs")
        self.assertTrue(np.isfinite(sim.energy["total"]))
        with self.assertRaises(rigor.Error):
            sim.method = "no-such"
        self.assertEqual(sim.method.preset, "tgs")

    def test_other_threads_run_during_a_step_and_are_kept_out_of_the_world(self):
        sim = rigor.Simulation(stack(40))
        counter, refused, stop = [0], [0], threading.Event()

        def look():
            while not stop.is_set():
                counter[0] += 1
                try:
                    len(sim.world)
                except rigor.Error:
                    refused[0] += 1

        thread = threading.Thread(target=look)
        thread.start()
        for _ in range(20):
            try:
                sim.step(5)
            except rigor.Error:  # the other thread was looking
                pass
        stop.set()
        thread.join()
        self.assertGreater(counter[0], 0)

    def test_two_simulations_in_two_threads_are_as_one_after_the_other(self):
        expected = rigor.Simulation(stack(20))
        expected.step(60)
        sims = [rigor.Simulation(stack(20)) for _ in range(2)]
        threads = [threading.Thread(target=sim.step, args=(60,)) for sim in sims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({sim.hash for sim in sims}, {expected.hash})

    def test_the_interpreter_ends_while_a_thread_is_in_a_step(self):
        program = """
import threading, time, rigor
world = rigor.World()
for i in range(40):
    world.add_body(rigor.box(1, 1, 1), (0.01 * i, 0.5 + i, 0))
sims = [rigor.Simulation(world), rigor.Batch(rigor.Simulation(world), 4, threads=2)]
for sim in sims:
    threading.Thread(target=sim.step, args=(1_000_000,), daemon=True).start()
time.sleep(0.2)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Fatal", done.stderr)

    def test_ctrl_c_ends_the_steps_of_a_batch_between_two_steps(self):
        batch = rigor.Batch(rigor.Simulation(stack(3)), 8)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            batch.step(1_000_000_000)
        timer.join()
        steps = {batch.copy(k).steps for k in range(8)}
        self.assertEqual(len(steps), 1)
        batch.step()  # it goes on

    def test_memory_stays_the_same_over_many_steps(self):
        world = rigor.World(ground=False)
        world.add_body(rigor.sphere(0.1), (0, 0, 0))
        sim = rigor.Simulation(world)
        def used():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        sim.step(2000)
        for _ in range(200):
            sim.state.velocity.copy(), sim.motion, sim.contacts, sim.events
        before = used()
        for _ in range(2000):
            sim.step(20)
            sim.state.velocity.copy(), sim.motion, sim.contacts, sim.events
        self.assertLess(used() - before, 2_000_000)


class SceneTest(unittest.TestCase):
    def test_built_in_scenes(self):
        self.assertIn("newtons-cradle", rigor.scenes())
        scene = rigor.Scene("newtons-cradle")
        sim = scene.simulate()
        sim.step(10)
        self.assertEqual(rigor.Scene.parse(scene.to_json()).name, scene.name)
        with self.assertRaisesRegex(rigor.Error, "did you mean"):
            rigor.Scene("newtons-cradl")

    def test_measure_gives_figures(self):
        sim = rigor.Scene("double-pendulum").simulate(method="featherstone")
        run = rigor.measure(sim, 200, truth=True)
        self.assertEqual(len(run["time"]), 201)
        self.assertLess(run["largest_energy_drift"], 0.01)
        self.assertIn("natural map", " ".join(run["truth"]).replace("_", " "))

    def test_compare_several_methods(self):
        result = rigor.compare("double-pendulum", ["soft-step", "tgs", "featherstone"], steps=50)
        self.assertEqual(list(result.runs), ["soft-step", "tgs", "featherstone"])
        self.assertIn("featherstone", repr(result))

    def test_queries(self):
        world = stack()
        queries = rigor.Queries(world)
        hit = queries.ray_cast((0, 20, 0), (0, -40, 0))
        self.assertEqual(hit["body"].name, "box4")
        self.assertAlmostEqual(hit["point"][1], 5)
        distances = queries.ray_distances([[0, 20, 0], [50, 20, 0]], [[0, -40, 0], [0, 10, 0]])
        np.testing.assert_allclose(distances, [15, np.inf])
        self.assertIsNone(queries.ray_cast((50, 20, 0), (0, 10, 0)))
        self.assertEqual(len(queries.overlap(rigor.sphere(0.1), (0, 2.5, 0))), 1)
        self.assertAlmostEqual(queries.closest_points(world.body("box0"), world.body("box2"))["distance"], 1)

    def test_joint_space_agrees_with_itself(self):
        world = rigor.World(ground=False)
        before = world.world_body
        for i in range(3):
            link = world.add_body(rigor.box(1, 0.1, 0.2), (0.5 + i, 0, 0))
            world.add_joint("hinge", before, link, anchor=(i, 0, 0), axis=(0, 0, 1))
            before = link
        space = rigor.JointSpace(world)
        space.positions = [0.3, -0.5, 0.8]
        space.velocities = [1, 2, 3]
        M, b = space.mass_matrix(), space.bias_forces()
        np.testing.assert_allclose(M, M.T, atol=1e-9)
        a = np.array([0.4, -0.7, 1.1])
        np.testing.assert_allclose(space.inverse_dynamics(a), M @ a + b, rtol=1e-9)
        np.testing.assert_allclose(space.forward_dynamics(M @ a + b), a, rtol=1e-9)
        with self.assertRaises(rigor.Error):
            space.positions = [1, 2]


class BatchTest(unittest.TestCase):
    def cart_pole(self):
        world = rigor.World(ground=False)
        cart = world.add_body(rigor.box(0.4, 0.2, 0.2), mass=1.0, name="cart")
        pole = world.add_body(rigor.box(0.05, 1.0, 0.05), (0, 0.5, 0), mass=0.1, name="pole")
        slider = world.add_joint("slider", world.world_body, cart, anchor=(0, 0, 0), axis=(1, 0, 0), name="slider")
        world.add_joint("hinge", cart, pole, anchor=(0, 0, 0), axis=(0, 0, 1), name="hinge")
        sim = rigor.Simulation(world, step=0.01)
        return sim, [(sim.world.joint("slider"), 0), (sim.world.joint("hinge"), 3)], slider

    def test_every_world_goes_its_own_way_whatever_the_number_and_threads(self):
        sim, axes, _ = self.cart_pole()
        forces = np.linspace(-5, 5, 16)[:, None]
        hashes = []
        for count, threads in ((16, 1), (16, 2), (5, 2)):
            batch = rigor.Batch(sim, count, threads)
            batch.drive(axes[:1])
            batch.observe(axes)
            for _ in range(20):
                batch.set_forces(forces[:count])
                batch.step(2)
            positions, velocities = batch.read()
            self.assertEqual(positions.shape, (count, 2))
            hashes.append([batch.hash(k) for k in range(count)])
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0][:5], hashes[2])
        self.assertEqual(len(set(hashes[0])), 16)

    def test_forces_accelerate_as_newton_says(self):
        world = rigor.World(gravity=(0, 0, 0), ground=False)
        cart = world.add_body(rigor.box(1, 1, 1), mass=2.0)
        slider = world.add_joint("slider", world.world_body, cart, anchor=(0, 0, 0), axis=(1, 0, 0), name="slider")
        sim = rigor.Simulation(world, step=0.01)
        batch = rigor.Batch(sim, 3)
        batch.drive([(sim.world.joint("slider"), 0)])
        batch.observe([(sim.world.joint("slider"), 0)])
        batch.set_forces([[1.0], [2.0], [-4.0]])
        batch.step(100)
        np.testing.assert_allclose(batch.read()[1][:, 0], [0.5, 1.0, -2.0], rtol=1e-9)

    def test_some_worlds_are_reset(self):
        sim, axes, _ = self.cart_pole()
        batch = rigor.Batch(sim, 4)
        start = batch.hash(0)
        batch.drive(axes[:1])
        batch.set_forces(np.ones((4, 1)))
        batch.step(10)
        batch.reset([1, 3])
        self.assertEqual([batch.hash(k) == start for k in range(4)], [False, True, False, True])
        with self.assertRaisesRegex(rigor.Error, "world 9"):
            batch.reset([9])

    def test_mistakes(self):
        sim, axes, _ = self.cart_pole()
        with self.assertRaisesRegex(rigor.Error, "at least one world"):
            rigor.Batch(sim, 0)
        batch = rigor.Batch(sim, 2)
        batch.drive(axes[:1])
        with self.assertRaisesRegex(rigor.Error, r"\(2, 1\)"):
            batch.set_forces(np.zeros((3, 1)))
        with self.assertRaisesRegex(rigor.Error, "finite"):
            batch.set_forces([[np.nan], [0]])
        with self.assertRaisesRegex(rigor.Error, "axis"):
            batch.drive([(axes[0][0], 7)])
        sim.before_step(lambda s: None)
        with self.assertRaisesRegex(rigor.Error, "callbacks"):
            rigor.Batch(sim, 2)


if __name__ == "__main__":
    unittest.main()
