import java.io.File;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.legacy.RichSinkFunction;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.util.Collector;

/**
 * A job with known service times: Poisson arrivals, then operators in a row that wait instead of working.
 *
 * Janino compiles it: no lambdas, raw types. A tuple is long[]: key, when it entered the job, when it was last sent (ns).
 * Arguments are name=value: name, exchange (rebalance or hash), keys, skew (of Zipf's law; 0: even), own_keys (whether the
 * copies of a tuple have keys of their own), groups (the most instances; 0: Flink's default), rate_file, buffer_timeout
 * (ms), operators (name:milliseconds:law:copies:parallelism, separated by commas; law is exponential, fixed or wild, with
 * SCV 4), replay (whether tuples that were due while the job stood still are sent once it runs again).
 */
public class Network {
    static final TypeInformation TUPLE = PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO;

    public static void main(String[] given) throws Exception {
        Map arguments = new HashMap();
        for (int i = 0; i < given.length; i++) {
            int at = given[i].indexOf('=');
            arguments.put(given[i].substring(0, at), given[i].substring(at + 1));
        }
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setBufferTimeout(Long.parseLong((String) arguments.get("buffer_timeout")));
        long keys = Long.parseLong((String) arguments.get("keys"));
        Keys drawn = new Keys((int) keys, Double.parseDouble((String) arguments.get("skew")));
        boolean own = "true".equals(arguments.get("own_keys"));
        int groups = Integer.parseInt((String) arguments.get("groups"));
        if (groups > 0) {
            environment.setMaxParallelism(groups);
        }
        boolean replay = "true".equals(arguments.get("replay"));
        SourceFunction arrivals = new Arrivals((String) arguments.get("rate_file"), drawn, replay);
        DataStream stream = environment.addSource(arrivals, "arrivals", TUPLE).setParallelism(1);
        String[] operators = ((String) arguments.get("operators")).split(",");
        for (int i = 0; i < operators.length; i++) {
            String[] parts = operators[i].split(":");
            Service service = new Service(Double.parseDouble(parts[1]), parts[2]);
            int parallelism = Integer.parseInt(parts[4]);
            DataStream sent = "hash".equals(arguments.get("exchange"))
                ? stream.keyBy(new Key(), Types.LONG)
                : stream.rebalance();
            if (i == operators.length - 1) {
                sent.addSink(new Last(service)).name(parts[0]).setParallelism(parallelism);
            } else {
                Work work = new Work(service, Integer.parseInt(parts[3]), own ? drawn : null);
                stream = sent.flatMap(work, TUPLE).name(parts[0]).setParallelism(parallelism);
            }
        }
        environment.execute((String) arguments.get("name"));
    }
}

/** Draws keys from 0 on: evenly, or by Zipf's law. */
class Keys implements java.io.Serializable {
    private final double[] upTo;

    Keys(int number, double skew) {
        upTo = new double[number];
        double sum = 0.0;
        for (int i = 0; i < number; i++) {
            sum += Math.pow(i + 1.0, -skew);
            upTo[i] = sum;
        }
        for (int i = 0; i < number; i++) {
            upTo[i] /= sum;
        }
    }

    long draw(ThreadLocalRandom random) {
        int at = java.util.Arrays.binarySearch(upTo, random.nextDouble());
        return (long) Math.min(at < 0 ? -at - 1 : at, upTo.length - 1);
    }
}

/** Emits tuples at the rate that stands in a file: exponential gaps; "die" in the file ends the job with an error. */
class Arrivals implements SourceFunction {
    private static final long LOOK_AGAIN = 100000000L;
    private final String rateFile;
    private final Keys keys;
    private final boolean replay;
    private volatile boolean running = true;

    Arrivals(String rateFile, Keys keys, boolean replay) {
        this.rateFile = rateFile;
        this.keys = keys;
        this.replay = replay;
    }

    public void run(SourceFunction.SourceContext context) throws Exception {
        File due = new File(rateFile + ".due");
        boolean again = replay && due.exists();
        long next = again ? Long.parseLong(new String(Files.readAllBytes(due.toPath())).trim()) : Long.MAX_VALUE;
        double rate = again ? readRate() : 0.0;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long read = System.nanoTime() - LOOK_AGAIN;
        try {
            while (running) {
                long now = System.nanoTime();
                if (now - read >= LOOK_AGAIN) {
                    read = now;
                    double found = readRate();
                    if (found != rate) {
                        rate = found;
                        next = rate > 0.0 ? now + drawGap(random, rate) : Long.MAX_VALUE;
                    }
                }
                if (next > now) {
                    LockSupport.parkNanos(Math.min(next - now, LOOK_AGAIN));
                    continue;
                }
                // The stamp is when the tuple was due: a source that lags behind or is held up delays it too.
                long[] tuple = new long[] {keys.draw(random), next, next};
                synchronized (context.getCheckpointLock()) {
                    context.collect(tuple);
                }
                next += drawGap(random, rate);
            }
        } finally {
            if (replay) {
                Files.write(due.toPath(), Long.toString(next).getBytes());
            }
        }
    }

    private static long drawGap(ThreadLocalRandom random, double rate) {
        return (long) (-Math.log(1.0 - random.nextDouble()) / rate * 1e9);
    }

    private double readRate() throws Exception {
        String text = new String(Files.readAllBytes(new File(rateFile).toPath())).trim();
        if (text.equals("die")) {
            throw new IllegalStateException("the test wants this job to die");
        }
        return Double.parseDouble(text);
    }

    public void cancel() {
        running = false;
    }
}

/** Which instance a tuple goes to under a hash exchange. */
class Key implements KeySelector {
    public Object getKey(Object value) {
        return Long.valueOf(((long[]) value)[0]);
    }
}

/** One service: waits for a drawn time, and counts in metrics of the engine what it measured by its own clock. */
class Service implements java.io.Serializable {
    private final double milliseconds;
    private final String law;
    private transient Counter services;
    private transient Counter serviceNanos;
    private transient Counter squaredMicros;
    private transient Counter sojournNanos;
    private transient Counter totalNanos;

    Service(double milliseconds, String law) {
        this.milliseconds = milliseconds;
        this.law = law;
    }

    void open(RuntimeContext context) {
        services = context.getMetricGroup().counter("lab_services");
        serviceNanos = context.getMetricGroup().counter("lab_service_nanos");
        squaredMicros = context.getMetricGroup().counter("lab_squared_micros");
        sojournNanos = context.getMetricGroup().counter("lab_sojourn_nanos");
        totalNanos = context.getMetricGroup().counter("lab_total_nanos");
    }

    /** A draw with mean 1. */
    private double drawFactor() {
        if (law.equals("fixed")) {
            return 1.0;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        double exponential = -Math.log(1.0 - random.nextDouble());
        if (law.equals("exponential")) {
            return exponential;
        }
        double slow = 0.5 * (1.0 - Math.sqrt(0.6)); // balanced means: either kind makes half of the work, SCV 4
        return exponential * 0.5 / (random.nextDouble() < slow ? slow : 1.0 - slow);
    }

    /** Serves one tuple; returns when it ended. */
    long serve(long[] tuple) throws InterruptedException {
        long begun = System.nanoTime();
        long end = begun + (long) (milliseconds * drawFactor() * 1e6);
        long now = begun;
        while (now < end) {
            LockSupport.parkNanos(end - now);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            now = System.nanoTime();
        }
        long micros = (now - begun) / 1000L;
        services.inc();
        serviceNanos.inc(now - begun);
        squaredMicros.inc(micros * micros);
        sojournNanos.inc(now - tuple[2]);
        totalNanos.inc(now - tuple[1]);
        return now;
    }
}

/** An operator in the middle: one service, then `copies` tuples out. */
class Work extends RichFlatMapFunction {
    private final Service service;
    private final int copies;
    private final Keys own;

    Work(Service service, int copies, Keys own) {
        this.service = service;
        this.copies = copies;
        this.own = own;
    }

    public void open(OpenContext context) {
        service.open(getRuntimeContext());
    }

    public void flatMap(Object value, Collector out) throws Exception {
        long[] tuple = (long[]) value;
        long end = service.serve(tuple);
        for (int i = 0; i < copies; i++) {
            long key = own == null ? tuple[0] : own.draw(ThreadLocalRandom.current());
            out.collect(new long[] {key, tuple[1], end});
        }
    }
}

/** The last operator: one service, and nothing out. */
class Last extends RichSinkFunction {
    private final Service service;

    Last(Service service) {
        this.service = service;
    }

    public void open(OpenContext context) {
        service.open(getRuntimeContext());
    }

    public void invoke(Object value, SinkFunction.Context context) throws Exception {
        service.serve((long[]) value);
    }
}
