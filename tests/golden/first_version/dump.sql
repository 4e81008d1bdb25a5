SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.backtest_runs (
    backtest_id uuid NOT NULL,
    "position" integer NOT NULL,
    policy text NOT NULL,
    seed integer NOT NULL,
    qos_percent double precision NOT NULL,
    cost_to_truth double precision NOT NULL,
    cost_to_static double precision NOT NULL,
    max_backlog double precision NOT NULL,
    schedule jsonb NOT NULL
);
CREATE TABLE public.backtests (
    id uuid NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    request jsonb NOT NULL,
    progress double precision DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT ck_backtests_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE TABLE public.decisions (
    id uuid NOT NULL,
    topology_id bigint NOT NULL,
    revision integer NOT NULL,
    decided_for timestamp with time zone NOT NULL,
    action text NOT NULL,
    external_rate double precision NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_decisions_action CHECK ((action = ANY (ARRAY['hold'::text, 'scale_up'::text, 'scale_down'::text, 'rebalance'::text])))
);
CREATE TABLE public.ingest_runs (
    id bigint NOT NULL,
    state text NOT NULL,
    paths text[] NOT NULL,
    day date,
    window_seconds integer NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    seconds double precision,
    read bigint,
    accepted bigint,
    rejected bigint,
    duplicates bigint,
    windows bigint,
    first_window_at timestamp with time zone,
    last_window_at timestamp with time zone,
    reject_reasons jsonb DEFAULT '{}'::jsonb NOT NULL,
    diagnostics jsonb DEFAULT '[]'::jsonb NOT NULL,
    error text,
    CONSTRAINT ck_ingest_runs_adds_up CHECK (((state <> 'succeeded'::text) OR (read = ((accepted + rejected) + duplicates)))),
    CONSTRAINT ck_ingest_runs_state CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'abandoned'::text])))
);
ALTER TABLE public.ingest_runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ingest_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.mst_samples (
    topology_id bigint NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    vms integer NOT NULL,
    throughput double precision NOT NULL,
    saturated boolean NOT NULL,
    stored_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_mst_samples_throughput CHECK ((throughput > (0)::double precision)),
    CONSTRAINT ck_mst_samples_vms CHECK ((vms > 0))
);
CREATE TABLE public.operator_summaries (
    topology_id bigint NOT NULL,
    window_start timestamp with time zone NOT NULL,
    operator text NOT NULL,
    window_seconds integer NOT NULL,
    run_id bigint NOT NULL,
    tuples bigint NOT NULL,
    arrival_rate double precision NOT NULL,
    arrival_scv double precision,
    service_rate double precision,
    service_scv double precision,
    mean_wait_seconds double precision NOT NULL,
    mean_sojourn_seconds double precision NOT NULL,
    wait_p50_seconds double precision NOT NULL,
    wait_p95_seconds double precision NOT NULL,
    wait_p99_seconds double precision NOT NULL,
    sojourn_p50_seconds double precision NOT NULL,
    sojourn_p95_seconds double precision NOT NULL,
    sojourn_p99_seconds double precision NOT NULL,
    instances integer NOT NULL,
    busy_fractions jsonb NOT NULL,
    busy_spread double precision NOT NULL,
    busy_skew double precision,
    upstream jsonb NOT NULL
)
PARTITION BY RANGE (window_start);
CREATE TABLE public.operator_summaries_2026_11_18 (
    topology_id bigint CONSTRAINT operator_summaries_topology_id_not_null NOT NULL,
    window_start timestamp with time zone CONSTRAINT operator_summaries_window_start_not_null NOT NULL,
    operator text CONSTRAINT operator_summaries_operator_not_null NOT NULL,
    window_seconds integer CONSTRAINT operator_summaries_window_seconds_not_null NOT NULL,
    run_id bigint CONSTRAINT operator_summaries_run_id_not_null NOT NULL,
    tuples bigint CONSTRAINT operator_summaries_tuples_not_null NOT NULL,
    arrival_rate double precision CONSTRAINT operator_summaries_arrival_rate_not_null NOT NULL,
    arrival_scv double precision,
    service_rate double precision,
    service_scv double precision,
    mean_wait_seconds double precision CONSTRAINT operator_summaries_mean_wait_seconds_not_null NOT NULL,
    mean_sojourn_seconds double precision CONSTRAINT operator_summaries_mean_sojourn_seconds_not_null NOT NULL,
    wait_p50_seconds double precision CONSTRAINT operator_summaries_wait_p50_seconds_not_null NOT NULL,
    wait_p95_seconds double precision CONSTRAINT operator_summaries_wait_p95_seconds_not_null NOT NULL,
    wait_p99_seconds double precision CONSTRAINT operator_summaries_wait_p99_seconds_not_null NOT NULL,
    sojourn_p50_seconds double precision CONSTRAINT operator_summaries_sojourn_p50_seconds_not_null NOT NULL,
    sojourn_p95_seconds double precision CONSTRAINT operator_summaries_sojourn_p95_seconds_not_null NOT NULL,
    sojourn_p99_seconds double precision CONSTRAINT operator_summaries_sojourn_p99_seconds_not_null NOT NULL,
    instances integer CONSTRAINT operator_summaries_instances_not_null NOT NULL,
    busy_fractions jsonb CONSTRAINT operator_summaries_busy_fractions_not_null NOT NULL,
    busy_spread double precision CONSTRAINT operator_summaries_busy_spread_not_null NOT NULL,
    busy_skew double precision,
    upstream jsonb CONSTRAINT operator_summaries_upstream_not_null NOT NULL
);
CREATE TABLE public.placements (
    id uuid NOT NULL,
    topology_id bigint NOT NULL,
    revision integer NOT NULL,
    request jsonb NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.plans (
    id uuid NOT NULL,
    topology_id bigint NOT NULL,
    revision integer NOT NULL,
    objective text NOT NULL,
    request jsonb NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.policies (
    topology_id bigint NOT NULL,
    policy jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.profiles (
    name text NOT NULL,
    version integer NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.rejected_lines (
    run_id bigint NOT NULL,
    number bigint NOT NULL,
    file text NOT NULL,
    line bigint NOT NULL,
    reason text NOT NULL,
    text text NOT NULL
);
CREATE TABLE public.snapshots (
    topology_id bigint NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    window_seconds double precision NOT NULL,
    external_rate double precision NOT NULL,
    measured_sojourn_seconds double precision,
    operators jsonb NOT NULL,
    source text DEFAULT 'posted'::text NOT NULL,
    stored_at timestamp with time zone DEFAULT now() NOT NULL,
    nodes jsonb,
    instances jsonb,
    CONSTRAINT ck_snapshots_source CHECK ((source = ANY (ARRAY['posted'::text, 'ingest'::text]))),
    CONSTRAINT ck_snapshots_window CHECK ((window_seconds > (0)::double precision))
);
CREATE TABLE public.topologies (
    id bigint NOT NULL,
    name text NOT NULL,
    revision integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.topologies ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.topologies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.topology_revisions (
    topology_id bigint NOT NULL,
    revision integer NOT NULL,
    definition jsonb NOT NULL,
    source text DEFAULT 'posted'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_topology_revisions_source CHECK ((source = ANY (ARRAY['posted'::text, 'discovered'::text])))
);
CREATE TABLE public.topology_summaries (
    topology_id bigint NOT NULL,
    window_start timestamp with time zone NOT NULL,
    window_seconds integer NOT NULL,
    run_id bigint NOT NULL,
    external_rate double precision NOT NULL,
    root_tuples bigint NOT NULL,
    mean_total_sojourn_seconds double precision,
    mean_completion_seconds double precision
);
CREATE TABLE public.vm_catalogues (
    name text NOT NULL,
    version integer NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.operator_summaries ATTACH PARTITION public.operator_summaries_2026_11_18 FOR VALUES FROM ('2026-11-18 00:00:00+00') TO ('2026-11-19 00:00:00+00');
INSERT INTO public.alembic_version VALUES ('2026_11_18_backtests');
INSERT INTO public.backtest_runs VALUES ('f4dd6c9a-3170-4702-9840-e9a0ea910742', 0, '0', 0, 56.666666666666664, 0.992526158445441, 0.6916666666666667, 803.0395173336208, '[[12, 11], [10, 14], [28, 16], [10, 14], [10, 12], [10, 9], [10, 7], [22, 6], [8, 7]]');
INSERT INTO public.backtest_runs VALUES ('f4dd6c9a-3170-4702-9840-e9a0ea910742', 1, 'headgate', 0, 97.5, 1.210762331838565, 0.84375, 27.427328516016694, '[[70, 16], [10, 13], [10, 10], [20, 8], [10, 11]]');
INSERT INTO public.backtests VALUES ('f4dd6c9a-3170-4702-9840-e9a0ea910742', 'succeeded', '{"app": "app", "rates": [8.0, 8.2, 8.399, 8.598, 8.795, 8.99, 9.182, 9.372, 9.558, 9.74, 9.918, 10.091, 10.259, 10.421, 10.577, 10.727, 10.869, 11.005, 11.133, 11.254, 11.366, 11.47, 11.565, 11.651, 11.728, 11.796, 11.854, 11.903, 11.942, 11.971, 11.99, 11.999, 11.998, 11.987, 11.967, 11.936, 11.895, 11.845, 11.785, 11.716, 11.637, 11.549, 11.453, 11.348, 11.234, 11.112, 10.983, 10.846, 10.702, 10.551, 10.394, 10.231, 10.062, 9.888, 9.71, 9.527, 9.34, 9.15, 8.957, 8.762, 8.564, 8.366, 8.166, 7.966, 7.767, 7.567, 7.369, 7.172, 6.978, 6.786, 6.597, 6.411, 6.23, 6.053, 5.881, 5.714, 5.553, 5.397, 5.249, 5.107, 4.973, 4.846, 4.727, 4.616, 4.514, 4.42, 4.335, 4.26, 4.194, 4.137, 4.09, 4.053, 4.025, 4.008, 4.0, 4.003, 4.015, 4.038, 4.07, 4.112, 4.164, 4.226, 4.297, 4.377, 4.466, 4.564, 4.671, 4.786, 4.909, 5.04, 5.178, 5.323, 5.475, 5.633, 5.797, 5.967, 6.142, 6.321, 6.504, 6.692], "seeds": 1, "max_vms": 128, "samples": [[1, 0.7], [1, 0.8], [2, 1.4], [2, 1.6], [4, 2.8], [4, 3.2], [8, 5.6], [8, 6.4], [16, 11.2], [16, 12.8]], "policies": ["0", "headgate"], "start_at": "2026-11-18T00:00:00Z", "train_vms": [1, 2, 4, 8, 16], "qos_target": 0.95, "scale_peak": null, "diagnostics": [], "step_seconds": 60.0, "startup_steps": 2, "workload_name": "two-hours", "interval_steps": 10, "headgate_qos_target": 0.9875}', 1, 0, NULL, '2026-11-19 00:19:09.387869+00', '2026-11-19 00:19:12.018118+00', '2026-11-19 00:19:13.787191+00');
INSERT INTO public.decisions VALUES ('43b6aae6-6423-475d-9c74-f203f8b07e02', 1, 2, '2026-11-18 00:57:00+00', 'hold', 320.099, '{"goal": "latency-target", "basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:56:00Z", "first_observed_at": "2026-11-18T00:56:00Z"}, "nodes": null, "action": "hold", "moving": {"horizon": null, "migrations": {}, "payback_seconds": 0.0, "cost_tuple_seconds": 0.0}, "policy": {"goal": {"beta": null, "k_max": null, "t_max_seconds": 0.08, "t_min_seconds": null}, "model": "ggk-whitt", "nodes": {"most_io": 0.9, "most_cpu": 0.9, "most_memory": 0.9, "scale_in_load": 0.3, "scale_out_load": 0.7, "scale_in_skewness": 0.5, "scale_out_skewness": 0.0}, "bounds": {}, "states": {"detector": {"key_groups": 16, "size_bytes": 1000000.0, "replay_rate": null, "bandwidth_bytes_per_second": [], "computing_bytes_per_second": [100000000.0], "checkpoint_interval_seconds": null}}, "trigger": 0.0, "smoothing": null, "least_gain": 0.05, "qos_target": 0.95, "most_deviation": 0.0, "horizon_seconds": null, "cooldown_seconds": 120.0, "max_snapshot_age_seconds": 900.0}, "current": {"basis": null, "model": "ggk-whitt", "stable": true, "operators": [{"name": "generator", "visits": 1.0, "processors": 6, "utilisation": 0.6668729166666667, "arrival_rate": 320.099, "service_rate": 80.0, "wait_seconds": 0.0017827477892093772, "sojourn_seconds": 0.014282747789209379}, {"name": "detector", "visits": 4.444444444444445, "processors": 13, "utilisation": 0.8418119658119658, "arrival_rate": 1422.6622222222222, "service_rate": 130.0, "wait_seconds": 0.0017006204077465595, "sojourn_seconds": 0.009392928100054251}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 3, "utilisation": 0.711331111111111, "arrival_rate": 85.35973333333332, "service_rate": 40.0, "wait_seconds": 0.014695835262420649, "sojourn_seconds": 0.03969583526242065}], "diagnostics": [], "external_rate": 320.099, "processors_total": 22, "unstable_operators": [], "expected_sojourn_seconds": 0.06661465097054045}, "optimum": {"processors": {"detector": 13, "reporter": 3, "generator": 6}, "processors_total": 22, "expected_sojourn_seconds": 0.06661465097054045}, "reasons": [{"code": "within-target", "detail": "E[T] is 0.0666147 s as estimated: the number of processors is right."}, {"code": "at-optimum", "detail": "What runs is what the goal asks for."}], "streams": null, "processors": {"current": {"detector": 13, "reporter": 3, "generator": 6}, "recommended": {"detector": 13, "reporter": 3, "generator": 6}, "current_total": 22, "recommended_total": 22}, "constraints": [], "decided_for": "2026-11-18T00:57:00Z", "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}], "rate_change": null, "external_rate": 320.099, "recommendation": null, "counterfactuals": {"holds_up_to_rate": 344.78729196249395, "one_fewer_detail": "The best split of 21 processors would take 0.0717729 s, within t_max_seconds = 0.08. Processors are given up only while E[T] is below t_min_seconds.", "one_fewer_processors": {"detector": 13, "reporter": 3, "generator": 5}, "one_fewer_up_to_rate": 334.4373868129519, "one_fewer_sojourn_seconds": 0.07177286552876562}, "cooldown_left_seconds": 0.0, "expected_sojourn_seconds": 0.06661465097054045, "measured_sojourn_seconds": null}', '2026-11-19 00:19:02.91512+00');
INSERT INTO public.decisions VALUES ('1458e596-5931-4238-aa7f-318f403abb98', 1, 2, '2026-11-18 01:00:00+00', 'scale_up', 311.425, '{"goal": "latency-target", "basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "nodes": {"add": 0, "use": {"node-2": {"detector": 2, "reporter": 1}}, "advice": "in_place", "reason": "In place: mean load 0.55, skewness 0 (undefined for fewer than three nodes or equal loads, taken as 0); the least loaded nodes have room for 3 new instances. No instance of reporter was measured: the mean over all that run stands in.", "release": [], "skewness": 0.0, "mean_load": 0.55, "new_nodes": [], "relocations": [], "new_instances": {"detector": {"usage": {"io": 0.0, "cpu": 0.2, "memory": 0.1}, "measured": 1}, "reporter": {"usage": {"io": 0.004545454545454546, "cpu": 0.05, "memory": 0.02727272727272728}, "measured": 0}}}, "action": "scale_up", "moving": {"horizon": null, "migrations": {"detector": {"after": 15, "moves": [{"last": 6, "first": 6, "source": 4, "target": 13}, {"last": 11, "first": 11, "source": 8, "target": 14}], "before": 13, "owners": [0, 0, 1, 2, 3, 4, 13, 5, 6, 7, 8, 14, 9, 10, 11, 12], "moved_share": 0.125, "repair_seconds": null, "moved_key_groups": 2, "repartition_seconds": null}}, "payback_seconds": null, "cost_tuple_seconds": null}, "policy": {"goal": {"beta": null, "k_max": null, "t_max_seconds": 0.08, "t_min_seconds": null}, "model": "ggk-whitt", "nodes": {"most_io": 0.9, "most_cpu": 0.9, "most_memory": 0.9, "scale_in_load": 0.3, "scale_out_load": 0.7, "scale_in_skewness": 0.5, "scale_out_skewness": 0.0}, "bounds": {}, "states": {"detector": {"key_groups": 16, "size_bytes": 1000000.0, "replay_rate": null, "bandwidth_bytes_per_second": [], "computing_bytes_per_second": [100000000.0], "checkpoint_interval_seconds": null}}, "trigger": 0.0, "smoothing": null, "least_gain": 0.05, "qos_target": 0.95, "most_deviation": 0.0, "horizon_seconds": null, "cooldown_seconds": 120.0, "max_snapshot_age_seconds": 900.0}, "current": {"basis": null, "model": "ggk-whitt", "stable": true, "operators": [{"name": "generator", "visits": 1.0, "processors": 6, "utilisation": 0.6488020833333333, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.001537988824584637, "sojourn_seconds": 0.014037988824584638}, {"name": "detector", "visits": 4.444444444444445, "processors": 13, "utilisation": 0.819000657462196, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.00129475230890689, "sojourn_seconds": 0.008987060001214582}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 3, "utilisation": 0.6920555555555555, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.013009686749796542, "sojourn_seconds": 0.038009686749796545}], "diagnostics": [], "external_rate": 311.425, "processors_total": 22, "unstable_operators": [], "expected_sojourn_seconds": 0.0641163941854841}, "optimum": {"processors": {"detector": 15, "reporter": 4, "generator": 6}, "processors_total": 25, "expected_sojourn_seconds": 0.0567749130906412}, "reasons": [{"code": "target-missed", "detail": "E[T] is 0.09 s as measured, above t_max_seconds = 0.08."}, {"code": "model-corrected", "detail": "The model expects 0.0641164 s of what runs: taken 1.4 times as long."}], "streams": {"spots": [{"kind": "hot-instance", "move": {"edges": [{"source": "detector", "target": "detector", "local_rate_after": 138.41111111111113, "local_rate_before": 69.20555555555556}], "source": "node-1", "target": "node-2", "instance": "d-0", "operator": "detector", "node_deviation_after": 0.050000000000000044, "node_deviation_before": 0.25, "queue_deviation_after": 0.0, "queue_deviation_before": 42.5}, "name": "detector/d-0", "weight": 0.9, "suggestion": "Move it from node-1 to node-2 (69.2056 tuples/s more of detector → detector stay on their node), or send it less."}, {"kind": "hot-edge", "move": null, "name": "generator → detector", "weight": 1245.7, "suggestion": "Run instances of generator and detector on the same nodes, where limits allow."}, {"kind": "cold-instance", "move": null, "name": "detector/d-1", "weight": 0.05, "suggestion": "No node with another instance of detector has room for it (eq. 22): give detector one instance fewer, if the plan allows."}, {"kind": "cold-edge", "move": null, "name": "detector → reporter", "weight": 83.04666666666668, "suggestion": "Its ends may run apart."}], "redirect": [{"weights": {"d-0": 0.09523809523809523, "d-1": 0.9047619047619048}, "operator": "detector", "redirect": true, "deviation": 42.5}]}, "processors": {"current": {"detector": 13, "reporter": 3, "generator": 6}, "recommended": {"detector": 15, "reporter": 4, "generator": 6}, "current_total": 22, "recommended_total": 25}, "constraints": [], "decided_for": "2026-11-18T01:00:00Z", "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}], "rate_change": null, "external_rate": 311.425, "recommendation": null, "counterfactuals": {"holds_up_to_rate": 400.9847935859709, "one_fewer_detail": "The best split of 24 processors would take 0.0581316 s, within t_max_seconds = 0.08. Processors are given up only while E[T] is below t_min_seconds.", "one_fewer_processors": {"detector": 14, "reporter": 4, "generator": 6}, "one_fewer_up_to_rate": 384.88641627780146, "one_fewer_sojourn_seconds": 0.0581316130138352}, "cooldown_left_seconds": 0.0, "expected_sojourn_seconds": 0.0567749130906412, "measured_sojourn_seconds": 0.09}', '2026-11-19 00:19:03.006015+00');
INSERT INTO public.decisions VALUES ('1cd6a153-618e-485c-9169-315665f8bb05', 1, 2, '2026-11-18 01:00:00+00', 'scale_up', 311.425, '{"goal": "latency-target", "basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "nodes": {"add": 0, "use": {"node-2": {"detector": 2, "reporter": 1}}, "advice": "in_place", "reason": "In place: mean load 0.55, skewness 0 (undefined for fewer than three nodes or equal loads, taken as 0); the least loaded nodes have room for 3 new instances. No instance of reporter was measured: the mean over all that run stands in.", "release": [], "skewness": 0.0, "mean_load": 0.55, "new_nodes": [], "relocations": [], "new_instances": {"detector": {"usage": {"io": 0.0, "cpu": 0.2, "memory": 0.1}, "measured": 1}, "reporter": {"usage": {"io": 0.004545454545454546, "cpu": 0.05, "memory": 0.02727272727272728}, "measured": 0}}}, "action": "scale_up", "moving": {"horizon": null, "migrations": {"detector": {"after": 15, "moves": [{"last": 6, "first": 6, "source": 4, "target": 13}, {"last": 11, "first": 11, "source": 8, "target": 14}], "before": 13, "owners": [0, 0, 1, 2, 3, 4, 13, 5, 6, 7, 8, 14, 9, 10, 11, 12], "moved_share": 0.125, "repair_seconds": null, "moved_key_groups": 2, "repartition_seconds": null}}, "payback_seconds": null, "cost_tuple_seconds": null}, "policy": {"goal": {"beta": null, "k_max": null, "t_max_seconds": 0.08, "t_min_seconds": null}, "model": "ggk-whitt", "nodes": {"most_io": 0.9, "most_cpu": 0.9, "most_memory": 0.9, "scale_in_load": 0.3, "scale_out_load": 0.7, "scale_in_skewness": 0.5, "scale_out_skewness": 0.0}, "bounds": {}, "states": {"detector": {"key_groups": 16, "size_bytes": 1000000.0, "replay_rate": null, "bandwidth_bytes_per_second": [], "computing_bytes_per_second": [100000000.0], "checkpoint_interval_seconds": null}}, "trigger": 0.0, "smoothing": null, "least_gain": 0.05, "qos_target": 0.95, "most_deviation": 0.0, "horizon_seconds": null, "cooldown_seconds": 120.0, "max_snapshot_age_seconds": 900.0}, "current": {"basis": null, "model": "ggk-whitt", "stable": true, "operators": [{"name": "generator", "visits": 1.0, "processors": 6, "utilisation": 0.6488020833333333, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.001537988824584637, "sojourn_seconds": 0.014037988824584638}, {"name": "detector", "visits": 4.444444444444445, "processors": 13, "utilisation": 0.819000657462196, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.00129475230890689, "sojourn_seconds": 0.008987060001214582}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 3, "utilisation": 0.6920555555555555, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.013009686749796542, "sojourn_seconds": 0.038009686749796545}], "diagnostics": [], "external_rate": 311.425, "processors_total": 22, "unstable_operators": [], "expected_sojourn_seconds": 0.0641163941854841}, "optimum": {"processors": {"detector": 15, "reporter": 4, "generator": 6}, "processors_total": 25, "expected_sojourn_seconds": 0.0567749130906412}, "reasons": [{"code": "target-missed", "detail": "E[T] is 0.09 s as measured, above t_max_seconds = 0.08."}, {"code": "model-corrected", "detail": "The model expects 0.0641164 s of what runs: taken 1.4 times as long."}], "streams": {"spots": [{"kind": "hot-instance", "move": {"edges": [{"source": "detector", "target": "detector", "local_rate_after": 138.41111111111113, "local_rate_before": 69.20555555555556}], "source": "node-1", "target": "node-2", "instance": "d-0", "operator": "detector", "node_deviation_after": 0.050000000000000044, "node_deviation_before": 0.25, "queue_deviation_after": 0.0, "queue_deviation_before": 42.5}, "name": "detector/d-0", "weight": 0.9, "suggestion": "Move it from node-1 to node-2 (69.2056 tuples/s more of detector → detector stay on their node), or send it less."}, {"kind": "hot-edge", "move": null, "name": "generator → detector", "weight": 1245.7, "suggestion": "Run instances of generator and detector on the same nodes, where limits allow."}, {"kind": "cold-instance", "move": null, "name": "detector/d-1", "weight": 0.05, "suggestion": "No node with another instance of detector has room for it (eq. 22): give detector one instance fewer, if the plan allows."}, {"kind": "cold-edge", "move": null, "name": "detector → reporter", "weight": 83.04666666666668, "suggestion": "Its ends may run apart."}], "redirect": [{"weights": {"d-0": 0.09523809523809523, "d-1": 0.9047619047619048}, "operator": "detector", "redirect": true, "deviation": 42.5}]}, "processors": {"current": {"detector": 13, "reporter": 3, "generator": 6}, "recommended": {"detector": 15, "reporter": 4, "generator": 6}, "current_total": 22, "recommended_total": 25}, "constraints": [], "decided_for": "2026-11-18T01:00:00Z", "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}], "rate_change": null, "external_rate": 311.425, "recommendation": {"stages": [{"done": true, "name": "forecast", "detail": "ARMA(3, 3), with mean, learnt from 60 intervals of 60 s: at most 308.468 tuples/s with probability 0.95, 1 of 2 intervals ahead."}, {"done": true, "name": "processors", "detail": "25 processors at 311.425 tuples/s, for the goal latency-target."}, {"done": false, "name": "placement", "detail": "Task detector receives 1384.11 tuples/s and has no profile: add one to profiles under that name. Only sources and sinks may go without."}, {"done": true, "name": "moves", "detail": "detector 2 key groups (12%)."}, {"done": true, "name": "decision", "detail": "scale_up for 311.425 tuples/s: The model expects 0.0641164 s of what runs: taken 1.4 times as long."}], "forecast": {"step": 1, "model": "ARMA(3, 3), with mean", "steps": 2, "history": 60, "quantile": 0.95, "upper_rate": 308.46752664408126, "diagnostics": [], "expected_rate": 308.4669315723024}, "placement": null, "planned_rate": 311.425, "measured_rate": 311.425}, "counterfactuals": {"holds_up_to_rate": 400.9847935859709, "one_fewer_detail": "The best split of 24 processors would take 0.0581316 s, within t_max_seconds = 0.08. Processors are given up only while E[T] is below t_min_seconds.", "one_fewer_processors": {"detector": 14, "reporter": 4, "generator": 6}, "one_fewer_up_to_rate": 384.88641627780146, "one_fewer_sojourn_seconds": 0.0581316130138352}, "cooldown_left_seconds": 0.0, "expected_sojourn_seconds": 0.0567749130906412, "measured_sojourn_seconds": 0.09}', '2026-11-19 00:19:03.087417+00');
INSERT INTO public.decisions VALUES ('fcef7763-a53e-4897-b7e6-0c554b993d76', 3, 1, '2026-11-18 00:03:00+00', 'hold', 0.5, '{"goal": "latency-target", "basis": {"revision": 1, "topology": "calls", "snapshots": 3, "last_observed_at": "2026-11-18T00:02:00Z", "first_observed_at": "2026-11-18T00:00:00Z"}, "nodes": null, "action": "hold", "moving": {"horizon": null, "migrations": {}, "payback_seconds": 0.0, "cost_tuple_seconds": 0.0}, "policy": {"goal": {"beta": null, "k_max": null, "t_max_seconds": 1.0, "t_min_seconds": null}, "model": "ggk-whitt", "nodes": {"most_io": 0.9, "most_cpu": 0.9, "most_memory": 0.9, "scale_in_load": 0.3, "scale_out_load": 0.7, "scale_in_skewness": 0.5, "scale_out_skewness": 0.0}, "bounds": {}, "states": {}, "trigger": 0.0, "smoothing": {"kind": "window", "size": 4}, "least_gain": 0.05, "qos_target": 0.95, "most_deviation": 0.0, "horizon_seconds": null, "cooldown_seconds": 300.0, "max_snapshot_age_seconds": 900.0}, "current": {"basis": null, "model": "ggk-whitt", "stable": true, "operators": [{"name": "parse", "visits": 1.0, "processors": 1, "utilisation": 0.039825894238008246, "arrival_rate": 0.5, "service_rate": 12.554645904794773, "wait_seconds": 0.00009415520503005874, "sojourn_seconds": 0.07974594368104655}, {"name": "score", "visits": 0.044444444444444446, "processors": 1, "utilisation": 0.008888888888888889, "arrival_rate": 0.022222222222222223, "service_rate": 2.5, "wait_seconds": 2989.5366591928246, "sojourn_seconds": 2989.9366591928247}], "diagnostics": [], "external_rate": 0.5, "processors_total": 2, "unstable_operators": [], "expected_sojourn_seconds": 132.96581968558436}, "optimum": {"processors": {"parse": 1, "score": 1}, "processors_total": 2, "expected_sojourn_seconds": 132.96581968558436}, "reasons": [{"code": "within-target", "detail": "E[T] is 0.0994444 s as measured: the number of processors is right."}, {"code": "at-optimum", "detail": "What runs is what the goal asks for."}], "streams": null, "processors": {"current": {"parse": 1, "score": 1}, "recommended": {"parse": 1, "score": 1}, "current_total": 2, "recommended_total": 2}, "constraints": [], "decided_for": "2026-11-18T00:03:00Z", "diagnostics": [{"code": "fewer-intervals", "detail": "Smoothed over 3 intervals: there are no more of the 4 asked for.", "operators": []}, {"code": "intervals-missing", "detail": "Measured in only 2 of the 3 intervals, and smoothed over those: service_rate of score.", "operators": ["score"]}, {"code": "arrival-rate-disagrees", "detail": "Measured arrival rates differ by more than 10% from those that external_rate and the selectivities give: score 0.0222222/s for 0.0277778/s. The measured ones are used; operators without one still follow external_rate, also downstream of these. Check the selectivities.", "operators": ["score"]}], "rate_change": null, "external_rate": 0.5, "recommendation": null, "counterfactuals": {"holds_up_to_rate": 0.003426735951026029, "one_fewer_detail": "1 processors could not keep up, or not within the bounds.", "one_fewer_processors": null, "one_fewer_up_to_rate": null, "one_fewer_sojourn_seconds": null}, "cooldown_left_seconds": 0.0, "expected_sojourn_seconds": 132.96581968558436, "measured_sojourn_seconds": 0.09944444444444445}', '2026-11-19 00:19:13.902741+00');
INSERT INTO public.ingest_runs OVERRIDING SYSTEM VALUE VALUES (1, 'succeeded', '{file:/tmp/first_version/logs/calls.jsonl}', NULL, 60, '2026-11-19 00:17:28.218043+00', '2026-11-19 00:17:47.136612+00', 19.47380741699999, 95, 95, 0, 0, 7, '2026-11-18 00:00:00+00', '2026-11-18 00:03:00+00', '{}', '[]', NULL);
INSERT INTO public.ingest_runs OVERRIDING SYSTEM VALUE VALUES (2, 'succeeded', '{file:/tmp/first_version/logs/clicks.jsonl}', NULL, 60, '2026-11-19 00:17:58.947996+00', '2026-11-19 00:18:16.561353+00', 17.928425524999966, 47, 45, 2, 0, 6, '2026-11-18 00:00:00+00', '2026-11-18 00:01:00+00', '{"operator is empty": 1, "not one JSON object": 1}', '[{"code": "unknown-operators", "detail": "The log has operators that the posted topology lacks: stranger. They are not in its snapshots.", "topology": "clicks"}]', NULL);
INSERT INTO public.ingest_runs OVERRIDING SYSTEM VALUE VALUES (3, 'failed', '{file:/tmp/first_version/logs/torn.jsonl}', NULL, 60, '2026-11-19 00:18:35.143387+00', '2026-11-19 00:19:01.76372+00', 27.591522016, 127, 95, 32, 0, NULL, NULL, NULL, '{"not one JSON object": 32}', '[]', '32 of 127 records cannot be used (25.2%, most often: not one JSON object), more than --max-rejected 10.0%: nothing was written. GET /v1/ingest-runs/ID/rejects lists them; mend the log, or raise the limit.');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:00:00+00', 1, 40, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:01:00+00', 1, 42, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:02:00+00', 2, 80, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:03:00+00', 2, 84, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:04:00+00', 4, 160, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:05:00+00', 4, 168, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:06:00+00', 8, 320, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.mst_samples VALUES (1, '2026-11-18 00:07:00+00', 8, 336, true, '2026-11-19 00:19:09.374406+00');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:03:00+00', 'score', 60, 1, 1, 0.016666666666666666, NULL, 5, NULL, 0.004, 0.20400000000000001, 0.004, 0.004, 0.004, 0.204, 0.204, 0.204, 1, '[{"busy": 0.0033333333333333335, "instance": "score-1"}]', 0, 1, '[{"tuples": 1, "from_operator": "parse"}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:02:00+00', 'score', 60, 1, 1, 0.016666666666666666, NULL, NULL, NULL, 0.004, 0.004, 0.004, 0.004, 0.004, 0.004, 0.004, 0.004, 1, '[{"busy": 0.0, "instance": "score-1"}]', 0, NULL, '[{"tuples": 1, "from_operator": "parse"}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:00:00+00', 'score', 60, 1, 2, 0.03333333333333333, NULL, 2.5, 0.0625, 0.004, 0.404, 0.004, 0.004, 0.004, 0.404, 0.494, 0.502, 2, '[{"busy": 0.005, "instance": "score-0"}, {"busy": 0.008333333333333333, "instance": "score-1"}]', 0.003333333333333333, 1.25, '[{"tuples": 2, "from_operator": "parse"}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:00:00+00', 'parse', 60, 1, 30, 0.5, 0.06524482992977118, 12.76595744680851, 0.06745133544590314, 0.004, 0.08233333333333334, 0.004, 0.004, 0.004, 0.084, 0.114, 0.114, 2, '[{"busy": 0.012333333333333333, "instance": "parse-0"}, {"busy": 0.026833333333333334, "instance": "parse-1"}]', 0.0145, 1.3702127659574468, '[{"tuples": 30, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:01:00+00', 'parse', 60, 1, 30, 0.5, 0.06313106558180569, 12.552301255230125, 0.05933019379912817, 0.004, 0.08366666666666668, 0.004, 0.004, 0.004, 0.084, 0.114, 0.114, 1, '[{"busy": 0.03983333333333334, "instance": "parse-1"}]', 0, 1, '[{"tuples": 30, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:01:00+00', 'score', 60, 1, 1, 0.016666666666666666, NULL, 2.5, NULL, 0.004, 0.404, 0.004, 0.004, 0.004, 0.404, 0.404, 0.404, 1, '[{"busy": 0.006666666666666667, "instance": "score-1"}]', 0, 1, '[{"tuples": 1, "from_operator": "parse"}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (3, '2026-11-18 00:02:00+00', 'parse', 60, 1, 30, 0.5, 0.07182940516273849, 12.345679012345679, 0.05928974241731443, 0.004, 0.085, 0.004, 0.004, 0.004, 0.084, 0.114, 0.114, 1, '[{"busy": 0.0405, "instance": "parse-1"}]', 0, 1, '[{"tuples": 30, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:01:00+00', 'parse', 60, 2, 10, 0.16666666666666666, 0, 14.285714285714286, 0.04081632653061224, 0.004, 0.074, 0.004, 0.004, 0.004, 0.074, 0.094, 0.094, 1, '[{"busy": 0.011666666666666665, "instance": "parse-1"}]', 0, 1, '[{"tuples": 10, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:01:00+00', 'bursts', 60, 2, 1, 0.016666666666666666, NULL, 5, NULL, 0.004, 0.20400000000000001, 0.004, 0.004, 0.004, 0.204, 0.204, 0.204, 1, '[{"busy": 0.0033333333333333335, "instance": "bursts-1"}]', 0, 1, '[{"tuples": 1, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:01:00+00', 'stranger', 60, 2, 10, 0.16666666666666666, 0, 10, 0, 0.004, 0.10400000000000001, 0.004, 0.004, 0.004, 0.104, 0.104, 0.104, 1, '[{"busy": 0.016666666666666666, "instance": "stranger-1"}]', 0, 1, '[{"tuples": 10, "from_operator": "parse"}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:00:00+00', 'parse', 60, 2, 10, 0.16666666666666666, 0, 14.285714285714286, 0.04081632653061224, 0.004, 0.074, 0.004, 0.004, 0.004, 0.074, 0.094, 0.094, 1, '[{"busy": 0.011666666666666665, "instance": "parse-0"}]', 0, 1, '[{"tuples": 10, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:00:00+00', 'bursts', 60, 2, 4, 66666.66666666667, 1999760.0072, 4, 0.2, 0.004, 0.254, 0.004, 0.004, 0.004, 0.254, 0.389, 0.401, 1, '[{"busy": 16666.666666666668, "instance": "bursts-0"}]', 0, 1, '[{"tuples": 4, "from_operator": null}]');
INSERT INTO public.operator_summaries_2026_11_18 VALUES (2, '2026-11-18 00:00:00+00', 'stranger', 60, 2, 10, 0.16666666666666666, 0, 10, 0, 0.004, 0.10400000000000001, 0.004, 0.004, 0.004, 0.104, 0.104, 0.104, 1, '[{"busy": 0.016666666666666666, "instance": "stranger-0"}]', 0, 1, '[{"tuples": 10, "from_operator": "parse"}]');
INSERT INTO public.placements VALUES ('3f5f98e8-9d36-4a54-984e-714881503d93', 1, 2, '{"vms": [], "compare": false, "mapping": "sam", "routing": "shuffle", "profiles": {"detector": [{"cpu": 0.0673, "memory": 0.2392, "threads": 1, "peak_rate": 2.0}, {"cpu": 0.1469, "memory": 0.263, "threads": 20, "peak_rate": 10.0}, {"cpu": 0.7673, "memory": 0.3138, "threads": 50, "peak_rate": 30.0}]}, "vm_sizes": [{"name": "D3", "slots": 4, "hourly_price": 0.4}, {"name": "D1", "slots": 1, "hourly_price": 0.1}], "allocation": "mba", "acquisition": "largest-first", "rsm_weights": {"cpu": 1.0, "memory": 1.0, "network": 1.0}, "vm_catalogue": null, "external_rate": 50.0}', '{"mapping": {"vms": [{"name": "vm-1", "rack": null, "size": "D3", "slots": [{"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}], "hourly_price": 0.4}, {"name": "vm-2", "rack": null, "size": "D3", "slots": [{"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 1.0, "memory": 1.0, "threads": {"detector": 50}}, {"cpu": 0.22962, "memory": 0.269773333333, "threads": {"detector": 24}}], "hourly_price": 0.4}], "retries": 0, "slots_used": 8, "fragmentation": {"cpu": 0.0962975, "memory": 0.091278333333}, "slots_available": 8}, "profiles": [{"task": "detector", "profile": "detector", "version": null}], "allocation": {"slots": 8, "tasks": [{"cpu": 7.22962, "name": "detector", "rate": 222.22222222222223, "detail": "7 × 30/s on 7 slots of 50; 12.2222/s on 24 with cpu 0.22962, memory 0.269773", "memory": 7.269773333333333, "threads": 374}], "detail": "cpu 7.22962 and memory 7.26977 slots: max(⌈7.22962⌉, ⌈7.26977⌉) = 8"}, "comparison": null, "prediction": {"vms": [{"cpu": 3.0692, "name": "vm-1", "slots": [{"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.7673, "memory": 0.3138}], "memory": 1.2552}, {"cpu": 2.53152, "name": "vm-2", "slots": [{"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.7673, "memory": 0.3138}, {"cpu": 0.22962, "memory": 0.269773333333}], "memory": 1.211173333333}], "rate": 44.412499999999994, "tasks": [{"name": "detector", "rate": 44.412499999999994, "capacity": 197.38888888888889}], "routing": "shuffle", "meets_rate": false, "binding_task": "detector"}, "acquisition": {"rule": "largest-first", "cheapest": {"vms": {"D3": 2}, "slots": 8, "hourly_price": 0.8}, "slots_asked": 8, "largest_first": {"vms": {"D3": 2}, "slots": 8, "hourly_price": 0.8}}, "diagnostics": [{"code": "rate-not-met", "detail": "This mapping sustains 44.4125 of 50 tuples/s, bound by detector: route by what each slot sustains (slot-aware).", "operators": ["detector"]}], "hourly_price": 0.8, "external_rate": 50.0}', '2026-11-19 00:19:09.360232+00');
INSERT INTO public.plans VALUES ('751e91e4-f45c-48cd-a35b-6dbf17412851', 1, 2, 'min-latency', '{"k_max": 24, "model": "ggk-whitt", "smoothing": {"kind": "window", "size": 1}}', '{"basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "model": "ggk-whitt", "stable": true, "optimal": true, "objective": "min-latency", "operators": [{"name": "generator", "visits": 1.0, "processors": 6, "utilisation": 0.6488020833333333, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.001537988824584637, "sojourn_seconds": 0.014037988824584638}, {"name": "detector", "visits": 4.444444444444445, "processors": 14, "utilisation": 0.7605006105006106, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.0005781407172020353, "sojourn_seconds": 0.008270448409509728}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 4, "utilisation": 0.5190416666666666, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.0025102838845274832, "sojourn_seconds": 0.027510283884527486}], "processors": {"detector": 14, "reporter": 4, "generator": 6}, "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}], "explanation": [{"detail": "generator has 6: one more would save 0.00105 s (1.8%); one fewer would cost 0.00426 s (7.3%).", "operator": "generator", "processors": 6, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.0010528026204661336, "one_fewer_seconds": 0.004259632973411521}, {"detail": "detector has 14: one more would save 0.00136 s (2.3%); one fewer would cost 0.00318 s (5.5%).", "operator": "detector", "processors": 14, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.0013566999231940024, "one_fewer_seconds": 0.0031849404075771338}, {"detail": "reporter has 4: one more would save 0.000514 s (0.88%); one fewer would cost 0.0028 s (4.8%).", "operator": "reporter", "processors": 4, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.0005136411665343599, "one_fewer_seconds": 0.002799840764071749}], "external_rate": 311.425, "processors_total": 24, "unused_processors": 0, "unstable_operators": [], "lower_bound_seconds": 0.053354700854700864, "expected_sojourn_seconds": 0.0581316130138352}', '2026-11-19 00:19:02.71239+00');
INSERT INTO public.plans VALUES ('2aac71e9-fb67-4e5a-ae6d-05633f355e64', 1, 2, 'min-processors', '{"model": "ggk-whitt", "smoothing": {"kind": "window", "size": 1}, "t_max_seconds": 0.1}', '{"basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "model": "ggk-whitt", "stable": true, "optimal": true, "objective": "min-processors", "operators": [{"name": "generator", "visits": 1.0, "processors": 5, "utilisation": 0.7785625, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.005797621797996156, "sojourn_seconds": 0.018297621797996155}, {"name": "detector", "visits": 4.444444444444445, "processors": 12, "utilisation": 0.8872507122507124, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.0034141751374832034, "sojourn_seconds": 0.011106482829790897}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 3, "utilisation": 0.6920555555555555, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.013009686749796542, "sojourn_seconds": 0.038009686749796545}], "processors": {"detector": 12, "reporter": 3, "generator": 5}, "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}], "explanation": [{"detail": "generator has 5: one more would save 0.00426 s (5.5%); one fewer would cost 0.104 s (134%) and miss t_max_seconds = 0.1.", "operator": "generator", "processors": 5, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.004259632973411521, "one_fewer_seconds": 0.103965021104689}, {"detail": "detector has 12: one more would save 0.00942 s (12%); one fewer would cost 0.0701 s (90%) and miss t_max_seconds = 0.1.", "operator": "detector", "processors": 12, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.009419657015894728, "one_fewer_seconds": 0.07009081533012725}, {"detail": "reporter has 3: one more would save 0.0028 s (3.6%); one fewer could not keep up with the load.", "operator": "reporter", "processors": 3, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.002799840764071749, "one_fewer_seconds": null}], "external_rate": 311.425, "processors_total": 20, "unused_processors": 0, "unstable_operators": [], "lower_bound_seconds": 0.053354700854700864, "expected_sojourn_seconds": 0.07779568417479034}', '2026-11-19 00:19:02.835375+00');
INSERT INTO public.plans VALUES ('e7918e03-4954-4526-a5c0-87babc186082', 1, 2, 'tradeoff', '{"beta": 0.5, "model": "mmk", "smoothing": {"kind": "window", "size": 1}}', '{"basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "model": "mmk", "stable": true, "optimal": true, "objective": "tradeoff", "operators": [{"name": "generator", "visits": 1.0, "processors": 6, "utilisation": 0.6488020833333333, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.001537988824584637, "sojourn_seconds": 0.014037988824584638}, {"name": "detector", "visits": 4.444444444444445, "processors": 13, "utilisation": 0.819000657462196, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.00129475230890689, "sojourn_seconds": 0.008987060001214582}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 3, "utilisation": 0.6920555555555555, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.013009686749796542, "sojourn_seconds": 0.038009686749796545}], "processors": {"detector": 13, "reporter": 3, "generator": 6}, "diagnostics": [], "explanation": [{"detail": "detector has 13: one more would save 0.00318 s (5%); one fewer would cost 0.00942 s (15%). One more would take 0.9919 tuples off its queue, not worth the 1 that it costs at β = 0.5.", "operator": "detector", "processors": 13, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.0031849404075771338, "one_fewer_seconds": 0.009419657015894728}, {"detail": "generator has 6: one more would save 0.00105 s (1.6%); one fewer would cost 0.00426 s (6.6%). One more would take 0.3279 tuples off its queue, not worth the 1 that it costs at β = 0.5.", "operator": "generator", "processors": 6, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.0010528026204661336, "one_fewer_seconds": 0.004259632973411521}, {"detail": "reporter has 3: one more would save 0.0028 s (4.4%); one fewer could not keep up with the load. One more would take 0.8719 tuples off its queue, not worth the 1 that it costs at β = 0.5.", "operator": "reporter", "processors": 3, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.002799840764071749, "one_fewer_seconds": null}], "external_rate": 311.425, "processors_total": 22, "unused_processors": 0, "unstable_operators": [], "lower_bound_seconds": 0.053354700854700864, "expected_sojourn_seconds": 0.0641163941854841}', '2026-11-19 00:19:02.864779+00');
INSERT INTO public.plans VALUES ('4b7b8794-f592-4f11-a753-7d44f634ed33', 1, 2, 'proportional', '{"model": "ggk-whitt", "smoothing": {"kind": "window", "size": 1}, "tolerance": 0.01, "capacities": null}', '{"basis": {"revision": 2, "topology": "fpd", "snapshots": 1, "last_observed_at": "2026-11-18T00:59:00Z", "first_observed_at": "2026-11-18T00:59:00Z"}, "model": "ggk-whitt", "stable": true, "optimal": false, "objective": "proportional", "operators": [{"name": "generator", "visits": 1.0, "processors": 8, "utilisation": 0.48660156250000003, "arrival_rate": 311.425, "service_rate": 80.0, "wait_seconds": 0.00015698940251661543, "sojourn_seconds": 0.012656989402516616}, {"name": "detector", "visits": 4.444444444444445, "processors": 22, "utilisation": 0.483954933954934, "arrival_rate": 1384.1111111111113, "service_rate": 130.0, "wait_seconds": 0.0000011028518326278433, "sojourn_seconds": 0.007693410544140321}, {"name": "reporter", "visits": 0.26666666666666666, "processors": 5, "utilisation": 0.4152333333333333, "arrival_rate": 83.04666666666667, "service_rate": 40.0, "wait_seconds": 0.0005841295100236334, "sojourn_seconds": 0.025584129510023635}], "processors": {"detector": 22, "reporter": 5, "generator": 8}, "diagnostics": [{"code": "scv-assumed", "detail": "arrival_scv or service_scv is not measured at generator, detector, reporter: 1 is assumed, as of random (Poisson) arrivals and exponential services.", "operators": ["generator", "detector", "reporter"]}, {"code": "not-best-split", "detail": "Proportional is not best: min-latency splits the same 35 processors for an E[T] of 0.0534657 s instead of 0.0536724 s.", "operators": []}], "explanation": [{"detail": "reporter has 5: one more would save 0.00012 s (0.22%); one fewer would cost 0.000514 s (0.96%).", "operator": "reporter", "processors": 5, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.00011959313822773186, "one_fewer_seconds": 0.0005136411665343599}, {"detail": "generator has 8: one more would save 0.000107 s (0.2%); one fewer would cost 0.000328 s (0.61%).", "operator": "generator", "processors": 8, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.00010734057724808859, "one_fewer_seconds": 0.0003281968016018876}, {"detail": "detector has 22: one more would save 2.9e-06 s (0.0054%); one fewer would cost 6.72e-06 s (0.013%).", "operator": "detector", "processors": 22, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.00000289781336576622, "one_fewer_seconds": 0.000006722205550698794}], "external_rate": 311.425, "processors_total": 35, "unused_processors": 0, "unstable_operators": [], "lower_bound_seconds": 0.053354700854700864, "expected_sojourn_seconds": 0.05367235969025769}', '2026-11-19 00:19:02.87386+00');
INSERT INTO public.plans VALUES ('d347d4bd-a819-41d4-b0c0-5a19b944ae40', 3, 1, 'min-processors', '{"model": "ggk-whitt", "smoothing": {"kind": "window", "size": 4}, "t_max_seconds": 1.0}', '{"basis": {"revision": 1, "topology": "calls", "snapshots": 4, "last_observed_at": "2026-11-18T00:03:00Z", "first_observed_at": "2026-11-18T00:00:00Z"}, "model": "ggk-whitt", "stable": true, "optimal": true, "objective": "min-processors", "operators": [{"name": "parse", "visits": 1.3333333333333333, "processors": 1, "utilisation": 0.039825894238008246, "arrival_rate": 0.5, "service_rate": 12.554645904794773, "wait_seconds": 0.00009415520503005874, "sojourn_seconds": 0.07974594368104655}, {"name": "score", "visits": 0.05555555555555555, "processors": 2, "utilisation": 0.0031249999999999997, "arrival_rate": 0.020833333333333332, "service_rate": 3.3333333333333335, "wait_seconds": 2.915067543427808, "sojourn_seconds": 3.215067543427808}], "processors": {"parse": 1, "score": 2}, "diagnostics": [{"code": "intervals-missing", "detail": "Measured in only 3 of the 4 intervals, and smoothed over those: service_rate of parse, arrival_rate of parse, arrival_scv of parse, service_scv of parse, service_rate of score, measured_sojourn_seconds.", "operators": ["parse", "score"]}, {"code": "arrival-rate-disagrees", "detail": "Measured arrival rates differ by more than 10% from those that external_rate and the selectivities give: parse 0.5/s for 0.375/s. The measured ones are used; operators without one still follow external_rate, also downstream of these. Check the selectivities.", "operators": ["parse"]}], "explanation": [{"detail": "score has 2: one more would save 0.162 s (57%); one fewer would cost 91.6 s (32132%) and miss t_max_seconds = 1.", "operator": "score", "processors": 2, "one_more_limit": null, "one_fewer_limit": null, "one_more_seconds": -0.16172373813466046, "one_fewer_seconds": 91.55713019019738}, {"detail": "parse has 1: one more would save 0.000124 s (0.043%); an operator needs at least one.", "operator": "parse", "processors": 1, "one_more_limit": null, "one_fewer_limit": "min_processors", "one_more_seconds": -0.00012390615653686183, "one_fewer_seconds": null}], "external_rate": 0.375, "processors_total": 3, "unused_processors": 0, "unstable_operators": [], "lower_bound_seconds": 0.12286905130135532, "expected_sojourn_seconds": 0.2849427884318292}', '2026-11-19 00:19:13.896912+00');
INSERT INTO public.policies VALUES (1, '{"goal": {"beta": null, "k_max": null, "t_max_seconds": 0.08, "t_min_seconds": null}, "model": "ggk-whitt", "nodes": {"most_io": 0.9, "most_cpu": 0.9, "most_memory": 0.9, "scale_in_load": 0.3, "scale_out_load": 0.7, "scale_in_skewness": 0.5, "scale_out_skewness": 0.0}, "bounds": {}, "states": {"detector": {"key_groups": 16, "size_bytes": 1000000.0, "replay_rate": null, "bandwidth_bytes_per_second": [], "computing_bytes_per_second": [100000000.0], "checkpoint_interval_seconds": null}}, "trigger": 0.0, "smoothing": null, "least_gain": 0.05, "qos_target": 0.95, "most_deviation": 0.0, "horizon_seconds": null, "cooldown_seconds": 120.0, "max_snapshot_age_seconds": 900.0}', '2026-11-19 00:17:15.956812+00');
INSERT INTO public.profiles VALUES ('blob', 1, '{"points": [{"cpu": 0.0673, "memory": 0.2392, "threads": 1, "peak_rate": 2.0}, {"cpu": 0.1469, "memory": 0.263, "threads": 20, "peak_rate": 10.0}, {"cpu": 0.7673, "memory": 0.3138, "threads": 50, "peak_rate": 30.0}], "measured_on": "one slot"}', '2026-11-19 00:19:09.292576+00');
INSERT INTO public.profiles VALUES ('blob', 2, '{"points": [{"cpu": 0.0673, "memory": 0.2392, "threads": 1, "peak_rate": 2.0}, {"cpu": 0.1469, "memory": 0.263, "threads": 20, "peak_rate": 10.0}], "measured_on": null}', '2026-11-19 00:19:09.321474+00');
INSERT INTO public.rejected_lines VALUES (2, 1, 'file:/tmp/first_version/logs/clicks.jsonl', 46, 'not one JSON object', '{torn');
INSERT INTO public.rejected_lines VALUES (2, 2, 'file:/tmp/first_version/logs/clicks.jsonl', 47, 'operator is empty', '{"topology": "clicks", "operator": "", "instance": "-0", "tuple_id": "r0", "from_operator": null, "arrived_at": "2026-11-18T00:00:03.000000Z", "started_at": "2026-11-18T00:00:03.004000Z", "finished_at…');
INSERT INTO public.rejected_lines VALUES (3, 1, 'file:/tmp/first_version/logs/torn.jsonl', 1, 'not one JSON object', '{torn');
INSERT INTO public.rejected_lines VALUES (3, 2, 'file:/tmp/first_version/logs/torn.jsonl', 2, 'not one JSON object', '{torn');
INSERT INTO public.rejected_lines VALUES (3, 3, 'file:/tmp/first_version/logs/torn.jsonl', 98, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 4, 'file:/tmp/first_version/logs/torn.jsonl', 99, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 5, 'file:/tmp/first_version/logs/torn.jsonl', 100, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 6, 'file:/tmp/first_version/logs/torn.jsonl', 101, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 7, 'file:/tmp/first_version/logs/torn.jsonl', 102, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 8, 'file:/tmp/first_version/logs/torn.jsonl', 103, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 9, 'file:/tmp/first_version/logs/torn.jsonl', 104, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 10, 'file:/tmp/first_version/logs/torn.jsonl', 105, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 11, 'file:/tmp/first_version/logs/torn.jsonl', 106, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 12, 'file:/tmp/first_version/logs/torn.jsonl', 107, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 13, 'file:/tmp/first_version/logs/torn.jsonl', 108, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 14, 'file:/tmp/first_version/logs/torn.jsonl', 109, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 15, 'file:/tmp/first_version/logs/torn.jsonl', 110, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 16, 'file:/tmp/first_version/logs/torn.jsonl', 111, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 17, 'file:/tmp/first_version/logs/torn.jsonl', 112, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 18, 'file:/tmp/first_version/logs/torn.jsonl', 113, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 19, 'file:/tmp/first_version/logs/torn.jsonl', 114, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 20, 'file:/tmp/first_version/logs/torn.jsonl', 115, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 21, 'file:/tmp/first_version/logs/torn.jsonl', 116, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 22, 'file:/tmp/first_version/logs/torn.jsonl', 117, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 23, 'file:/tmp/first_version/logs/torn.jsonl', 118, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 24, 'file:/tmp/first_version/logs/torn.jsonl', 119, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 25, 'file:/tmp/first_version/logs/torn.jsonl', 120, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 26, 'file:/tmp/first_version/logs/torn.jsonl', 121, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 27, 'file:/tmp/first_version/logs/torn.jsonl', 122, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 28, 'file:/tmp/first_version/logs/torn.jsonl', 123, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 29, 'file:/tmp/first_version/logs/torn.jsonl', 124, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 30, 'file:/tmp/first_version/logs/torn.jsonl', 125, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 31, 'file:/tmp/first_version/logs/torn.jsonl', 126, 'not one JSON object', '?');
INSERT INTO public.rejected_lines VALUES (3, 32, 'file:/tmp/first_version/logs/torn.jsonl', 127, 'not one JSON object', '?');
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:00:00+00', 60, 300, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:01:00+00', 60, 302.999, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:02:00+00', 60, 305.99, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:03:00+00', 60, 308.966, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:04:00+00', 60, 311.92, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:05:00+00', 60, 314.844, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:06:00+00', 60, 317.731, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:07:00+00', 60, 320.574, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:08:00+00', 60, 323.365, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:09:00+00', 60, 326.098, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:10:00+00', 60, 328.766, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:11:00+00', 60, 331.361, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:12:00+00', 60, 333.879, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:13:00+00', 60, 336.311, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:14:00+00', 60, 338.653, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:15:00+00', 60, 340.898, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:16:00+00', 60, 343.041, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:17:00+00', 60, 345.077, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:18:00+00', 60, 347, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:19:00+00', 60, 348.805, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:20:00+00', 60, 350.488, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:21:00+00', 60, 352.045, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:22:00+00', 60, 353.472, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:23:00+00', 60, 354.766, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:24:00+00', 60, 355.922, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:25:00+00', 60, 356.939, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:26:00+00', 60, 357.813, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:27:00+00', 60, 358.543, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:28:00+00', 60, 359.127, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:29:00+00', 60, 359.563, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:30:00+00', 60, 359.85, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:31:00+00', 60, 359.987, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:32:00+00', 60, 359.974, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:33:00+00', 60, 359.812, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:34:00+00', 60, 359.5, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:35:00+00', 60, 359.039, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:36:00+00', 60, 358.431, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:37:00+00', 60, 357.677, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:38:00+00', 60, 356.778, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:39:00+00', 60, 355.738, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:40:00+00', 60, 354.558, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:41:00+00', 60, 353.242, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:42:00+00', 60, 351.793, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:43:00+00', 60, 350.214, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:44:00+00', 60, 348.51, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:45:00+00', 60, 346.684, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:46:00+00', 60, 344.742, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:47:00+00', 60, 342.688, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:48:00+00', 60, 340.528, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:49:00+00', 60, 338.266, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:50:00+00', 60, 335.908, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:51:00+00', 60, 333.461, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:52:00+00', 60, 330.93, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:53:00+00', 60, 328.322, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:54:00+00', 60, 325.643, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:55:00+00', 60, 322.9, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:56:00+00', 60, 320.099, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:57:00+00', 60, 317.249, NULL, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:58:00+00', 60, 314.355, NULL, '{"detector": {"processors": 13, "arrival_scv": 1000000.0, "service_scv": 0.0, "arrival_rate": 0.0, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (1, '2026-11-18 00:59:00+00', 60, 311.425, 0.09, '{"detector": {"processors": 13, "service_rate": 130.0}, "reporter": {"processors": 3, "service_rate": 40.0}, "generator": {"processors": 6, "service_rate": 80.0}}', 'posted', '2026-11-19 00:17:15.94495+00', '{"node-1": {"io": 0.1, "cpu": 0.8, "memory": 0.4}, "node-2": {"io": 0.0, "cpu": 0.3, "memory": 0.2}}', '{"detector": [{"cpu": 0.2, "name": "d-0", "node": "node-1", "memory": 0.1, "queue_length": 90.0, "queue_capacity": 100.0}, {"name": "d-1", "node": "node-2", "queue_length": 5.0, "queue_capacity": 100.0}]}');
INSERT INTO public.snapshots VALUES (3, '2026-11-18 00:03:00+00', 60, 0, NULL, '{"score": {"processors": 1, "arrival_scv": 1000000, "service_scv": 1000000, "arrival_rate": 0.016666666666666666, "service_rate": 5}}', 'ingest', '2026-11-19 00:17:47.136612+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (3, '2026-11-18 00:00:00+00', 60, 0.5, 0.10926666666666666, '{"parse": {"processors": 2, "arrival_scv": 0.06524482992977118, "service_scv": 0.06745133544590314, "arrival_rate": 0.5, "service_rate": 12.76595744680851}, "score": {"processors": 2, "arrival_scv": 1000000, "service_scv": 0.0625, "arrival_rate": 0.03333333333333333, "service_rate": 2.5}}', 'ingest', '2026-11-19 00:17:47.136612+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (3, '2026-11-18 00:02:00+00', 60, 0.5, 0.09193333333333334, '{"parse": {"processors": 1, "arrival_scv": 0.07182940516273849, "service_scv": 0.05928974241731443, "arrival_rate": 0.5, "service_rate": 12.345679012345679}, "score": {"processors": 1, "arrival_scv": 1000000, "service_scv": 1000000, "arrival_rate": 0.016666666666666666}}', 'ingest', '2026-11-19 00:17:47.136612+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (3, '2026-11-18 00:01:00+00', 60, 0.5, 0.09713333333333334, '{"parse": {"processors": 1, "arrival_scv": 0.06313106558180569, "service_scv": 0.05933019379912817, "arrival_rate": 0.5, "service_rate": 12.552301255230125}, "score": {"processors": 1, "arrival_scv": 1000000, "service_scv": 1000000, "arrival_rate": 0.016666666666666666, "service_rate": 2.5}}', 'ingest', '2026-11-19 00:17:47.136612+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (2, '2026-11-18 00:00:00+00', 60, 66666.83333333333, 0.27959999999999996, '{"parse": {"processors": 1, "arrival_scv": 0, "service_scv": 0.04081632653061224, "arrival_rate": 0.16666666666666666, "service_rate": 14.285714285714286}, "bursts": {"processors": 1, "arrival_scv": 1000000, "service_scv": 0.2, "arrival_rate": 66666.66666666667, "service_rate": 4}}', 'ingest', '2026-11-19 00:18:16.561353+00', NULL, NULL);
INSERT INTO public.snapshots VALUES (2, '2026-11-18 00:01:00+00', 60, 10, NULL, '{"bursts": {"arrival_scv": 1000000.0}}', 'posted', '2026-11-19 00:19:13.912831+00', NULL, NULL);
INSERT INTO public.topologies OVERRIDING SYSTEM VALUE VALUES (1, 'fpd', 2, '2026-11-19 00:17:15.931925+00');
INSERT INTO public.topologies OVERRIDING SYSTEM VALUE VALUES (2, 'clicks', 1, '2026-11-19 00:17:15.960508+00');
INSERT INTO public.topologies OVERRIDING SYSTEM VALUE VALUES (3, 'calls', 1, '2026-11-19 00:17:47.136612+00');
INSERT INTO public.topology_revisions VALUES (1, 1, '{"edges": [{"source": "generator", "target": "detector", "selectivity": 4.0}, {"source": "detector", "target": "detector", "selectivity": 0.1}, {"source": "detector", "target": "reporter", "selectivity": 0.05}], "entries": [{"share": 1.0, "operator": "generator"}], "operators": [{"name": "generator", "profile": null, "stateful": false, "max_processors": null, "min_processors": 1}, {"name": "detector", "profile": null, "stateful": true, "max_processors": null, "min_processors": 1}, {"name": "reporter", "profile": null, "stateful": false, "max_processors": 8, "min_processors": 1}]}', 'posted', '2026-11-19 00:17:15.931925+00');
INSERT INTO public.topology_revisions VALUES (1, 2, '{"edges": [{"source": "generator", "target": "detector", "selectivity": 4.0}, {"source": "detector", "target": "detector", "selectivity": 0.1}, {"source": "detector", "target": "reporter", "selectivity": 0.06}], "entries": [{"share": 1.0, "operator": "generator"}], "operators": [{"name": "generator", "profile": null, "stateful": false, "max_processors": null, "min_processors": 1}, {"name": "detector", "profile": null, "stateful": true, "max_processors": null, "min_processors": 1}, {"name": "reporter", "profile": null, "stateful": false, "max_processors": 8, "min_processors": 1}]}', 'posted', '2026-11-19 00:17:15.93876+00');
INSERT INTO public.topology_revisions VALUES (2, 1, '{"edges": [{"source": "parse", "target": "bursts", "selectivity": 1.0}], "entries": [{"share": 1.0, "operator": "parse"}], "operators": [{"name": "parse", "profile": null, "stateful": false, "max_processors": null, "min_processors": 1}, {"name": "bursts", "profile": null, "stateful": false, "max_processors": null, "min_processors": 1}]}', 'posted', '2026-11-19 00:17:15.960508+00');
INSERT INTO public.topology_revisions VALUES (3, 1, '{"edges": [{"source": "parse", "target": "score", "selectivity": 0.05555555555555555}], "entries": [{"share": 1.0, "operator": "parse"}], "operators": [{"name": "parse", "stateful": false, "max_processors": null, "min_processors": 1}, {"name": "score", "stateful": false, "max_processors": null, "min_processors": 1}]}', 'discovered', '2026-11-19 00:17:47.136612+00');
INSERT INTO public.topology_summaries VALUES (3, '2026-11-18 00:03:00+00', 60, 1, 0, 0, NULL, NULL);
INSERT INTO public.topology_summaries VALUES (3, '2026-11-18 00:00:00+00', 60, 1, 0.5, 30, 0.10926666666666666, 0.18966666666666668);
INSERT INTO public.topology_summaries VALUES (3, '2026-11-18 00:02:00+00', 60, 1, 0.5, 30, 0.09193333333333334, 0.24000000000000002);
INSERT INTO public.topology_summaries VALUES (3, '2026-11-18 00:01:00+00', 60, 1, 0.5, 30, 0.09713333333333334, 0.127);
INSERT INTO public.topology_summaries VALUES (2, '2026-11-18 00:00:00+00', 60, 2, 66666.83333333333, 10, 0.27959999999999996, 5.9337);
INSERT INTO public.topology_summaries VALUES (2, '2026-11-18 00:01:00+00', 60, 2, 0.18333333333333332, 10, 0.1984, 2.5140000000000002);
INSERT INTO public.vm_catalogues VALUES ('azure-d', 1, '{"sizes": [{"name": "D3", "slots": 4, "hourly_price": 0.4}, {"name": "D1", "slots": 1, "hourly_price": 0.1}]}', '2026-11-19 00:19:09.335714+00');
INSERT INTO public.vm_catalogues VALUES ('azure-d', 2, '{"sizes": [{"name": "D3", "slots": 4, "hourly_price": 0.4}]}', '2026-11-19 00:19:09.352288+00');
SELECT pg_catalog.setval('public.ingest_runs_id_seq', 3, true);
SELECT pg_catalog.setval('public.topologies_id_seq', 3, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.operator_summaries
    ADD CONSTRAINT pk_operator_summaries PRIMARY KEY (topology_id, window_start, operator, window_seconds);
ALTER TABLE ONLY public.operator_summaries_2026_11_18
    ADD CONSTRAINT operator_summaries_2026_11_18_pkey PRIMARY KEY (topology_id, window_start, operator, window_seconds);
ALTER TABLE ONLY public.backtest_runs
    ADD CONSTRAINT pk_backtest_runs PRIMARY KEY (backtest_id, "position");
ALTER TABLE ONLY public.backtests
    ADD CONSTRAINT pk_backtests PRIMARY KEY (id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT pk_decisions PRIMARY KEY (id);
ALTER TABLE ONLY public.ingest_runs
    ADD CONSTRAINT pk_ingest_runs PRIMARY KEY (id);
ALTER TABLE ONLY public.mst_samples
    ADD CONSTRAINT pk_mst_samples PRIMARY KEY (topology_id, observed_at, vms);
ALTER TABLE ONLY public.placements
    ADD CONSTRAINT pk_placements PRIMARY KEY (id);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT pk_plans PRIMARY KEY (id);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT pk_policies PRIMARY KEY (topology_id);
ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT pk_profiles PRIMARY KEY (name, version);
ALTER TABLE ONLY public.rejected_lines
    ADD CONSTRAINT pk_rejected_lines PRIMARY KEY (run_id, number);
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT pk_snapshots PRIMARY KEY (topology_id, observed_at, window_seconds);
ALTER TABLE ONLY public.topologies
    ADD CONSTRAINT pk_topologies PRIMARY KEY (id);
ALTER TABLE ONLY public.topology_revisions
    ADD CONSTRAINT pk_topology_revisions PRIMARY KEY (topology_id, revision);
ALTER TABLE ONLY public.topology_summaries
    ADD CONSTRAINT pk_topology_summaries PRIMARY KEY (topology_id, window_start, window_seconds);
ALTER TABLE ONLY public.vm_catalogues
    ADD CONSTRAINT pk_vm_catalogues PRIMARY KEY (name, version);
ALTER TABLE ONLY public.topologies
    ADD CONSTRAINT uq_topologies_name UNIQUE (name);
CREATE INDEX ix_backtests_created_at_id ON public.backtests USING btree (created_at, id);
CREATE INDEX ix_decisions_topology_id_created_at_id ON public.decisions USING btree (topology_id, created_at, id);
CREATE INDEX ix_decisions_topology_id_decided_for ON public.decisions USING btree (topology_id, decided_for);
CREATE INDEX ix_operator_summaries_operator ON ONLY public.operator_summaries USING btree (topology_id, operator, window_start);
CREATE INDEX ix_placements_topology_id_created_at_id ON public.placements USING btree (topology_id, created_at, id);
CREATE INDEX ix_plans_topology_id_created_at_id ON public.plans USING btree (topology_id, created_at, id);
CREATE INDEX operator_summaries_2026_11_18_topology_id_operator_window_s_idx ON public.operator_summaries_2026_11_18 USING btree (topology_id, operator, window_start);
ALTER INDEX public.pk_operator_summaries ATTACH PARTITION public.operator_summaries_2026_11_18_pkey;
ALTER INDEX public.ix_operator_summaries_operator ATTACH PARTITION public.operator_summaries_2026_11_18_topology_id_operator_window_s_idx;
ALTER TABLE ONLY public.backtest_runs
    ADD CONSTRAINT fk_backtest_runs_backtest_id FOREIGN KEY (backtest_id) REFERENCES public.backtests(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT fk_decisions_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mst_samples
    ADD CONSTRAINT fk_mst_samples_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.placements
    ADD CONSTRAINT fk_placements_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT fk_plans_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT fk_policies_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rejected_lines
    ADD CONSTRAINT fk_rejected_lines_run_id FOREIGN KEY (run_id) REFERENCES public.ingest_runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT fk_snapshots_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.topology_revisions
    ADD CONSTRAINT fk_topology_revisions_topology_id FOREIGN KEY (topology_id) REFERENCES public.topologies(id) ON DELETE CASCADE;
