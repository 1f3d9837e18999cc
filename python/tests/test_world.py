"""Worlds, bodies, joints, forces, shapes and methods from Python."""

import copy
import pickle
import sys
import threading
import unittest

import numpy as np

import rigor


def falling_ball(**keywords):
    world = rigor.World()
    world.add_body(rigor.sphere(0.5), (0, 3, 0), name="ball", **keywords)
    return world


class WorldTest(unittest.TestCase):
    def test_body_falls_as_far_as_theory_says(self):
        sim = rigor.Simulation(falling_ball(), step=1e-3)
        sim.step(500)
        self.assertAlmostEqual(sim.world.body("ball").position[1], 3 - 0.5 * 9.81 * 0.25, places=2)
        self.assertAlmostEqual(sim.time, 0.5)
        self.assertEqual(sim.steps, 500)

    def test_vectors_are_taken_as_any_sequence_and_given_as_arrays(self):
        world = rigor.World()
        body = world.add_body(rigor.box(1, 2, 3), np.array([1, 2, 3]), orientation=[1, 0, 0, 0], velocity=(0, 0, 1))
        np.testing.assert_array_equal(body.position, [1, 2, 3])
        self.assertEqual(body.orientation.shape, (4,))
        self.assertAlmostEqual(body.mass, 6000)
        np.testing.assert_allclose(body.inertia, np.diag([6500.0, 5000.0, 2500.0]))
        body.position = (0, 5, 0)
        body.angular_velocity = (0, 1, 0)
        np.testing.assert_array_equal(body.position, [0, 5, 0])

    def test_mistakes_are_errors_in_a_sentence(self):
        world = rigor.World()
        with self.assertRaisesRegex(rigor.Error, "sphere"):
            rigor.sphere(-1)
        with self.assertRaisesRegex(ValueError, "did you mean ball"):
            falling_ball().body("bal")
        with self.assertRaises(TypeError):
            world.add_body(rigor.sphere(1), (1, 2))
        with self.assertRaisesRegex(rigor.Error, "did you mean"):
            rigor.Simulation(world, method="soft-stepp")
        with self.assertRaises(rigor.Error):
            world.add_body(rigor.sphere(1), (float("nan"), 0, 0))
        with self.assertRaises(rigor.Error):
            world.add_body(rigor.sphere(1), mass=-1.0)

    def test_objects_of_another_world_are_refused(self):
        one, other = rigor.World(), rigor.World()
        body = one.add_body(rigor.sphere(1), (0, 5, 0))
        with self.assertRaisesRegex(rigor.Error, "another world"):
            other.remove(body)
        with self.assertRaisesRegex(rigor.Error, "another world"):
            other.add_joint("ball", other.world_body, body)

    def test_removed_objects_say_so(self):
        world = falling_ball()
        ball = world.body("ball")
        world.remove(ball)
        self.assertFalse(ball.exists)
        with self.assertRaises(rigor.Error):
            ball.position
        self.assertIn("removed", repr(ball))

    def test_joint_with_a_motor_turns(self):
        world = rigor.World(gravity=(0, 0, 0), ground=False)
        rod = world.add_body(rigor.box(1, 0.1, 0.1), (0.5, 0, 0))
        hinge = world.add_joint("hinge", world.world_body, rod, anchor=(0, 0, 0), axis=(0, 0, 1), motor="velocity",
                                motor_target=2.0, motor_force=1e4)
        sim = rigor.Simulation(world, step=1e-3)
        sim.step(100)
        joint = sim.world.joint(hinge.name)
        self.assertAlmostEqual(joint.velocity(3), 2.0, places=3)
        joint.set(motor_target=-1.0)
        sim.step(100)
        self.assertAlmostEqual(joint.velocity(3), -1.0, places=3)
        with self.assertRaisesRegex(rigor.Error, "motor_targt"):
            joint.set(motor_targt=1.0)

    def test_forces_for_one_step_damping_and_gravity_factor(self):
        world = rigor.World(ground=False)
        world.add_body(rigor.sphere(0.1), gravity_factor=0.0, mass=2.0, name="floating")
        world.add_body(rigor.sphere(0.1), (5, 0, 0), gravity_factor=0.0, linear_damping=1.0, velocity=(1, 0, 0), name="damped")
        sim = rigor.Simulation(world, step=1e-3)
        floating, damped = sim.world.body("floating"), sim.world.body("damped")
        for _ in range(1000):
            floating.apply_force((4, 0, 0))
            sim.step()
        np.testing.assert_allclose(floating.velocity, [2, 0, 0], atol=1e-9)
        self.assertAlmostEqual(damped.velocity[0], np.exp(-1), places=2)
        sim.step(100)
        np.testing.assert_allclose(floating.velocity, [2, 0, 0], atol=1e-9)
        floating.mass = 4.0
        floating.name = "heavy"
        floating.user_data = 42
        floating.apply_impulse((0, 8, 0))
        self.assertAlmostEqual(sim.world.body("heavy").velocity[1], 2)
        self.assertEqual(sim.world.body("heavy").user_data, 42)
        floating.shape = rigor.box(1, 1, 1)
        self.assertEqual(floating.shape.type, "box")

    def test_a_sensor_tells_who_comes(self):
        world = rigor.World()
        world.add_body(rigor.box(4, 1, 4), (0, 3, 0), fixed=True, sensor=True, name="gate")
        world.add_body(rigor.sphere(0.2), (0, 6, 0), name="ball")
        sim = rigor.Simulation(world)
        heard = []
        sim.on_event(lambda s, e: heard.append((e["kind"], e["b"].name)) if e["kind"].startswith("sensor") else None)
        sim.step(120)
        self.assertIn(("sensor-begin", "ball"), heard)
        self.assertIn(("sensor-end", "ball"), heard)

    def test_a_lift_carries_its_load(self):
        world = rigor.World()
        world.add_body(rigor.box(2, 0.2, 2), (0, 0.1, 0), fixed=True, name="lift")
        world.add_body(rigor.box(0.5, 0.5, 0.5), (0, 0.45, 0), name="load")
        sim = rigor.Simulation(world, step=0.01)
        for i in range(1, 101):
            sim.world.body("lift").set_kinematic_target((0, 0.1 + 0.01 * i, 0), (1, 0, 0, 0), 0.01)
            sim.step()
        self.assertAlmostEqual(sim.world.body("lift").position[1], 1.1, places=9)
        self.assertAlmostEqual(sim.world.body("load").position[1], 1.45, places=2)

    def test_forces_written_in_python(self):
        world = rigor.World(gravity=(0, 0, 0), ground=False)
        ball = world.add_body(rigor.sphere(0.1), (1, 0, 0), mass=2.0)
        world.add_force(lambda c: -8.0 * c["position"], bodies=[ball], uses_velocity=False)
        sim = rigor.Simulation(world, method=rigor.Method().with_("stepping", "explicit").with_("integrator", "rk4"),
                               step=1e-3)
        sim.step(1000)
        np.testing.assert_allclose(sim.world.bodies[-1].position[0], np.cos(2.0), atol=1e-6)

    def test_a_force_cannot_change_who_is_in_the_world(self):
        for change in (lambda w: w.add_body(rigor.sphere(0.1), (9, 9, 9)), lambda w: w.remove(w.body("ball"))):
            world = falling_ball()
            sim = rigor.Simulation(world)
            sim.world.add_force(lambda c: change(sim.world) or np.zeros((1, 3)))
            with self.assertRaisesRegex(rigor.Error, "before_step"):
                sim.step()

    def test_a_force_of_the_wrong_shape_is_an_error(self):
        world = falling_ball()
        world.add_force(lambda c: np.zeros((7, 3)))
        with self.assertRaisesRegex(rigor.Error, r"shape \(1, 3\)"):
            rigor.Simulation(world).step()

    def test_an_exception_in_a_force_reaches_the_caller(self):
        world = falling_ball()

        def force(context):
            raise KeyError("lost")

        world.add_force(force)
        with self.assertRaises(KeyError):
            rigor.Simulation(world).step()

    def test_composites_hulls_meshes_and_height_fields(self):
        corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        self.assertEqual(rigor.convex_hull(np.array(corners, dtype=float)).type, "hull")
        dumbbell = rigor.composite([(rigor.sphere(0.2), (-1, 0, 0)), (rigor.sphere(0.2), (1, 0, 0))])
        lower, upper = dumbbell.bounds
        np.testing.assert_allclose(upper - lower, [2.4, 0.4, 0.4])
        self.assertFalse(rigor.height_field(np.zeros((3, 4)), 1.0, 1.0).has_volume)
        with self.assertRaises(rigor.Error):
            rigor.height_field(np.zeros(3), 1.0, 1.0)

    def test_copies_and_pickles_are_independent_and_equal(self):
        sim = rigor.Simulation(falling_ball(), step=1e-2)
        sim.step(20)
        twins = [sim.copy(), copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
        for twin in twins:
            self.assertEqual(twin.hash, sim.hash)
        sim.step(50)
        for twin in twins:
            self.assertNotEqual(twin.hash, sim.hash)
            twin.step(50)
            self.assertEqual(twin.hash, sim.hash)
        world = pickle.loads(pickle.dumps(falling_ball()))
        self.assertEqual(len(world), len(falling_ball()))

    def test_methods_are_values(self):
        method = rigor.Method("tgs")
        self.assertEqual(method, rigor.Method("tgs"))
        changed = method.with_("gyroscopic", False)
        self.assertNotEqual(method, changed)
        with self.assertRaises(rigor.Error):
            method.set("stepping.no-such-parameter", 1)
        self.assertEqual(method, rigor.Method("tgs"))
        names = {info.name for info in rigor.methods("preset")}
        self.assertIn("soft-step", names)
        self.assertTrue(rigor.methods("integrator")[0].description)
        with self.assertRaises(rigor.Error):
            rigor.methods("nothing")

    def test_integrator_written_in_python(self):
        def kick_and_drift(motion, h):
            motion.evaluate(motion.time)
            motion.velocity = motion.velocity + h * motion.inverse_mass * motion.force
            motion.position = motion.position + h * motion.velocity

        rigor.register_integrator("python-kick-drift", kick_and_drift, "semi-implicit Euler", velocity_lag=0.5)
        world = rigor.World(ground=False)
        world.add_body(rigor.sphere(0.1), (0, 0, 0), velocity=(1, 0, 0), name="ball")
        results = []
        for integrator in ("python-kick-drift", "semi-implicit-euler"):
            method = rigor.Method("garstenauer").with_("stepping", "explicit").with_("integrator", integrator)
            sim = rigor.Simulation(world, method=method, step=0.01)
            sim.step(100)
            results.append(sim.world.body("ball").position)
        np.testing.assert_allclose(results[0], results[1], atol=1e-12)
        with self.assertRaisesRegex(rigor.Error, "python-kick-drift"):
            rigor.register_integrator("python-kick-drift", kick_and_drift)

        def wrong(motion, h):
            motion.velocity = np.zeros((99, 3))

        rigor.register_integrator("python-wrong", wrong)
        sim = rigor.Simulation(world, method=rigor.Method("garstenauer").with_("integrator", "python-wrong"))
        with self.assertRaisesRegex(rigor.Error, "velocity"):
            sim.step()

    def test_an_interrupt_in_an_integrator_reaches_the_caller(self):
        def interrupted(motion, h):
            raise KeyboardInterrupt

        rigor.register_integrator("python-interrupted", interrupted)
        world = rigor.World(ground=False)
        world.add_body(rigor.sphere(0.1), (0, 0, 0))
        method = rigor.Method("garstenauer").with_("integrator", "python-interrupted")
        sim = rigor.Simulation(world, method=method)
        start = sim.save()
        with self.assertRaises(KeyboardInterrupt):
            sim.step()
        with self.assertRaisesRegex(rigor.Error, "restore"):
            sim.step()
        sim.restore(start)
        sim.method = "garstenauer"
        sim.step()
        batch = rigor.Batch(rigor.Simulation(world, method=method), 3, threads=1)
        with self.assertRaises(KeyboardInterrupt):
            batch.step()

    def test_interrupts_of_two_threads_reach_their_own_callers(self):
        def interrupted(motion, h):
            raise KeyboardInterrupt(threading.current_thread().name)

        rigor.register_integrator("python-interrupted-by-thread", interrupted)
        world = rigor.World(ground=False)
        world.add_body(rigor.sphere(0.1), (0, 0, 0))
        method = rigor.Method("garstenauer").with_("integrator", "python-interrupted-by-thread")
        seen = []

        def steps(name, sim):
            start = sim.save()
            for _ in range(300):
                try:
                    sim.step()
                except BaseException as error:
                    seen.append((name, type(error), str(error)))
                sim.restore(start)

        threads = [threading.Thread(target=steps, name=name, args=(name, rigor.Simulation(world, method=method)))
                   for name in ("first", "second")]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
        self.assertEqual(len(seen), 600)
        for name, kind, text in seen:
            self.assertEqual((kind, text), (KeyboardInterrupt, name))


if __name__ == "__main__":
    unittest.main()
