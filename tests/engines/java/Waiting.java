import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.legacy.RichSinkFunction;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.util.Collector;

/**
 * A job whose operators are no queues of busy threads: calls of 100 ms, at most two at a time for each instance, then a
 * timer of 200 ms, a window of 500 ms, and a sink that writes every twentieth time.
 *
 * Arguments are name=value: name, rate_file, calls (instances that call).
 */
public class Waiting {
    public static void main(String[] given) throws Exception {
        Map arguments = new HashMap();
        for (int i = 0; i < given.length; i++) {
            int at = given[i].indexOf('=');
            arguments.put(given[i].substring(0, at), given[i].substring(at + 1));
        }
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setBufferTimeout(0L);
        SourceFunction arrivals = new Arrivals((String) arguments.get("rate_file"), new Keys(1000, 0.0), false);
        DataStream stream = environment.addSource(arrivals, "arrivals", Network.TUPLE).setParallelism(1);
        int calls = Integer.parseInt((String) arguments.get("calls"));
        DataStream called = AsyncDataStream
            .unorderedWait(stream.rebalance(), new Call(), 10L, TimeUnit.SECONDS, 2)
            .returns(Network.TUPLE)
            .setParallelism(calls);
        DataStream timed = called.keyBy(new Key(), Types.LONG).process(new Later(), Network.TUPLE).setParallelism(2);
        DataStream windowed = timed
            .keyBy(new Key(), Types.LONG)
            .window(TumblingProcessingTimeWindows.of(Duration.ofMillis(500L)))
            .reduce(new First())
            .setParallelism(2);
        windowed.rebalance().addSink(new Batching()).name("batching out").setParallelism(1);
        environment.execute((String) arguments.get("name"));
    }
}

/** A call that takes 100 ms and no processor. */
class Call extends RichAsyncFunction {
    private transient Timer timer;

    public void open(OpenContext context) {
        timer = new Timer(true);
    }

    public void asyncInvoke(Object value, ResultFuture result) {
        timer.schedule(new Answer(value, result), 100L);
    }

    public void close() {
        if (timer != null) {
            timer.cancel();
        }
    }
}

/** The end of a call. */
class Answer extends TimerTask {
    private final Object value;
    private final ResultFuture result;

    Answer(Object value, ResultFuture result) {
        this.value = value;
        this.result = result;
    }

    public void run() {
        result.complete(Collections.singletonList(value));
    }
}

/** Sends each tuple on when a timer fires. */
class Later extends KeyedProcessFunction {
    public void processElement(Object value, KeyedProcessFunction.Context context, Collector out) {
        context.timerService().registerProcessingTimeTimer(context.timerService().currentProcessingTime() + 200L);
    }

    public void onTimer(long at, KeyedProcessFunction.OnTimerContext context, Collector out) {
        out.collect(new long[] {((Long) context.getCurrentKey()).longValue(), System.nanoTime(), System.nanoTime()});
    }
}

/** Keeps the first tuple of a window. */
class First implements ReduceFunction {
    public Object reduce(Object first, Object second) {
        return first;
    }
}

/** Writes every twentieth time, for 20 ms. */
class Batching extends RichSinkFunction {
    private int kept = 0;

    public void invoke(Object value, SinkFunction.Context context) {
        kept++;
        if (kept % 20 == 0) {
            LockSupport.parkNanos(20000000L);
        }
    }
}
