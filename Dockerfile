# docker build --tag dprepro . && docker run --rm -v "$PWD/results:/home/reader/results" dprepro +experiment=lasso_rate
FROM python:3.12-slim
RUN useradd --create-home reader
COPY . /opt/dprepro
RUN pip install --no-cache-dir --constraint /opt/dprepro/constraints.txt '/opt/dprepro[data]'
USER reader
WORKDIR /home/reader
ENTRYPOINT ["python", "-m", "dprepro"]
