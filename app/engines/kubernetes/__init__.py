"""What Kubernetes, KEDA and Flink's Kubernetes operator take to run the recommended processors."""
